"""Thumbnails and renders of many models on a Ray cluster.

``python -m polyset.ray thumbs INPUT... -o DIR`` is ``polyset thumbs`` over a cluster: the same pictures, byte for
byte, and the same manifest. ``Thumbnails`` and ``Renders`` are for ``map_batches`` of data sets of your own:

    >>> import ray, polyset.ray
    >>> models = ray.data.from_items([{"path": "ogre.mdl"}, {"path": "pak0.pak:progs/dog.mdl"}])
    >>> models.map_batches(polyset.ray.Thumbnails(size=128), batch_size=32).write_parquet("thumbs")
"""

from .batches import Renders, Thumbnails
from .run import Summary, thumbs

__all__ = ["Renders", "Summary", "Thumbnails", "thumbs"]
