"""``python -m polyset.ray thumbs INPUT... -o DIR``: ``polyset thumbs`` over a Ray cluster."""

import argparse
import sys
import time

from .. import Error, options
from .run import BATCH, thumbs

# What stands in the table of options for other commands, or is said once for a cluster.
_OWN = {"size", "resolution"}


def _parser():
    parser = argparse.ArgumentParser(prog="python -m polyset.ray", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    many = commands.add_parser("thumbs", help="thumbnails of many models")
    many.add_argument("inputs", nargs="*", metavar="INPUT", help="models, folders, archives, or URIs of these")
    many.add_argument("-o", "--output", required=True, metavar="DIR", help="a folder that all workers see")
    many.add_argument("--address", help="the cluster: an address, auto, or none for one on this machine")
    many.add_argument("--batch", type=int, default=BATCH, help="models of a task [%(default)s]")
    many.add_argument("--parquet", action="store_true", help="write Parquet instead of PNG files; DIR may be a URI")
    many.add_argument("--cache", metavar="DIR", help="where remote files are mirrored on every node")
    many.add_argument("-s", "--size", type=int, default=256, help="width and height in pixels [%(default)s]")
    many.add_argument("-r", "--recursive", action="store_true", help="take the folders in folders too")
    many.add_argument("--manifest", metavar="FILE", help="[manifest.jsonl in DIR]")
    many.add_argument("--redraw", action="store_true", help="draw what is there and as it should be again")
    many.add_argument("--force", action="store_true", help="replace files that polyset has not drawn")
    many.add_argument("--honest", action="store_true", help="leave a dark picture dark")
    many.add_argument("--skins", choices=["all"], help="a picture of every skin")
    many.add_argument("--clips", choices=["all"], help="a picture of every clip")
    many.add_argument("--frames", metavar="all|N", help="a picture of every frame, or of N of them")
    many.add_argument("--name", metavar="NAME", help="what pictures are called: {dir}/{file}.png")
    scene = many.add_argument_group("options of scenes (docs/options.md)")
    for row in options():
        if row["name"] in _OWN:
            continue
        flag = "--" + row["name"].replace("_", "-")
        help = row["help"].replace("%", "%%")
        if row["is_switch"]:
            scene.add_argument(flag, action="store_true", default=None, help=help)
        else:
            action = "append" if row["repeats"] else "store"
            scene.add_argument(flag, action=action, choices=row["choices"] or None, help=help)
    return parser


def main(arguments=None):
    said = vars(_parser().parse_args(arguments))
    said.pop("command")
    address = said.pop("address")
    frames = said.pop("frames")
    said["frames"] = int(frames) if frames and frames.isdigit() else frames
    said["skins"], said["clips"] = said["skins"] == "all", said["clips"] == "all"
    said = {name: value for name, value in said.items() if value is not None}
    if not said["inputs"] and "game" not in said:
        print("error: nothing to draw: give models, folders or archives, or --game DIR", file=sys.stderr)
        return 2
    import ray

    ray.init(address=address, logging_level="warning")
    start = time.monotonic()
    try:
        summary = thumbs(**said)
    except (Error, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{summary} in {time.monotonic() - start:.1f} s", file=sys.stderr)
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main())
