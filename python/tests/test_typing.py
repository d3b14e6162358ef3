"""The stub against the package: every name of one is in the other."""

import ast
import pathlib

import pytest

import polyset

STUB = ast.parse(pathlib.Path(polyset.__file__).with_name("__init__.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_every_name():
    functions = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    assert public(CLASSES) | functions == public(polyset.__all__)
    assert pathlib.Path(polyset.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("name", sorted(public(CLASSES)))
def test_classes_have_what_the_stub_says(name):
    node, real = CLASSES[name], getattr(polyset, name)
    told = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    if issubclass(real, Exception):
        assert not told
        return
    assert public(told) == public(vars(real))
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            is_property = any(getattr(d, "id", "") == "property" for d in item.decorator_list)
            assert is_property != callable(getattr(real, item.name)), item.name
            assert ast.get_docstring(item), item.name
