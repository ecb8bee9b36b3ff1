"""Writes the outlines of a TrueType font as text: `python outlines.py DejaVuSans.ttf > outlines.txt`.

The first line holds the units of the font's size. Each other line holds a letter ("-" for the box that stands for
a missing one) by its number in hexadecimal, how far it moves the next letter, and its outline: M x y begins a
contour, L x y is a line, Q x y x y a quadratic curve with its control point, Z closes the contour. All lengths are
in units of the font; y grows upwards.
"""

import sys

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont


class TextPen(BasePen):
    """Collects the commands of an outline."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.words = []

    def _moveTo(self, to):
        self.words += ["M", *to]

    def _lineTo(self, to):
        self.words += ["L", *to]

    def _qCurveToOne(self, control, to):
        self.words += ["Q", *control, *to]

    def _closePath(self):
        self.words.append("Z")


font = TTFont(sys.argv[1])
glyphs = font.getGlyphSet()
print(font["head"].unitsPerEm)
letters = sorted(font.getBestCmap().items())
for letter, name in [("-", ".notdef"), *((f"{number:x}", name) for number, name in letters)]:
    pen = TextPen(glyphs)
    glyphs[name].draw(pen)
    print(letter, glyphs[name].width, *(w if isinstance(w, str) else f"{w:g}" for w in pen.words))
