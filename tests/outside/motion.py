#!/usr/bin/env python3
"""What Pillow sees in an animation: a line of JSON with the delay of every picture in milliseconds, and
the pictures as raw RGBA in a second file. Called as: motion.py ANIMATION PIXELS"""

import json
import sys

from PIL import Image, ImageSequence


def main():
    animation, pixels = sys.argv[1:]
    delays = []
    with Image.open(animation) as image, open(pixels, "wb") as out:
        plays = image.info.get("loop")
        for frame in ImageSequence.Iterator(image):
            out.write(frame.convert("RGBA").tobytes())
            delays.append(frame.info["duration"])
    print(json.dumps({"delays": delays, "loop": plays}))


main()
