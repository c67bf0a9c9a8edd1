"""Tables as Markdown, and spreads of measured values."""

import statistics


def spread(values, digits=1):
    return "%.*f (%.*f to %.*f)" % (digits, statistics.median(values), digits, min(values), digits, max(values))


def table(head, lines):
    widths = [max(len(str(line[i])) for line in [head] + lines) for i in range(len(head))]
    out = []
    for at, line in enumerate([head] + lines):
        out.append("| " + " | ".join(str(cell).ljust(width) for cell, width in zip(line, widths)) + " |")
        if at == 0:
            out.append("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(out)
