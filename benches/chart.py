"""Lines over two axes as a plain SVG file, readable on light and on dark."""

import html
import math

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 92
COLOURS = ["#2f7ed8", "#d9822b", "#2e9e5b", "#b0489f", "#8a8a2e", "#c44"]
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; font-size: 15px }
.grid { stroke: #8884; stroke-width: 1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
"""


def lines(title, x_label, y_label, series, logarithmic=True):
    """The chart of some series, each a name and its points."""
    points = [point for _, line in series for point in line]
    x = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, logarithmic)
    y = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, logarithmic)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{html.escape(title)}</title><style>{STYLE}</style>",
        text(LEFT, 22, title, "title"),
    ]
    for value in x.ticks():
        at = x.place(value)
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(text(at, HEIGHT - BOTTOM + 18, short(value), anchor="middle"))
    for value in y.ticks():
        at = y.place(value)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(text(LEFT - 8, at + 4, short(value), anchor="end"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 38, x_label, anchor="middle"))
    parts.append(text(LEFT - 8, TOP - 10, y_label, anchor="end"))
    for number, (name, line) in enumerate(series):
        parts += drawn(number, name, line, x, y)
    return "\n".join([*parts, "</svg>", ""])


def drawn(number, name, line, x, y):
    colour = COLOURS[number % len(COLOURS)]
    places = [(x.place(a), y.place(b)) for a, b in line]
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    column, row = number % 3, number // 3
    left, top = LEFT + column * 215, HEIGHT - 30 + row * 20
    return [
        f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in places),
        f'<rect x="{left}" y="{top - 10}" width="12" height="12" fill="{colour}"/>',
        text(left + 18, top, name),
    ]


class Axis:
    """Values to places."""

    def __init__(self, values, begin, end, logarithmic):
        self.begin, self.end = begin, end
        self.logarithmic = logarithmic and min(values) > 0
        if self.logarithmic:
            self.low = math.floor(math.log10(min(values)) + 1e-9)
            self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        else:
            self.low, self.high = 0, nice(max(values))

    def place(self, value):
        at = math.log10(value) if self.logarithmic else value
        return self.begin + (at - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self):
        if self.logarithmic:
            return [10**n for n in range(self.low, self.high + 1)]
        return [self.high * n / 4 for n in range(5)]


def nice(value):
    """The next round number."""
    step = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * n for n in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if step * n >= value)


def short(value):
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def text(x, y, content, style="", anchor="start"):
    style = f' class="{style}"' if style else ""
    content = html.escape(str(content))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{content}</text>'
