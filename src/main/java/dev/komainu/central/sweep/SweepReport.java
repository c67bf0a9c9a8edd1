package dev.komainu.central.sweep;

import dev.komainu.central.sweep.Curve.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The files of a sweep's result: the table as Markdown and CSV, and the curves as CSV. */
final class SweepReport {

    private final List<Curve> curves;

    SweepReport(List<Curve> curves) {
        this.curves = curves;
    }

    /**
     * Writes {@code thresholds.md}, {@code thresholds.csv} and {@code curves.csv}.
     *
     * @param head first lines of the Markdown
     */
    void write(Path directory, String head) throws IOException {
        Files.writeString(
                directory.resolve("thresholds.md"), head + "\n" + summary() + "\n" + table());
        Files.writeString(directory.resolve("thresholds.csv"), tableCsv());
        Files.writeString(directory.resolve("curves.csv"), curvesCsv());
    }

    /**
     * Returns the results with the thresholds in use, and how many thresholds have each verdict.
     */
    String summary() {
        Map<Plateau.Judged, Integer> counts = new EnumMap<>(Plateau.Judged.class);
        curves.forEach(curve -> counts.merge(Plateau.of(curve).judgement(), 1, Integer::sum));
        StringBuilder text = new StringBuilder();
        if (!curves.isEmpty()) {
            Point usual = curves.getFirst().usual();
            text.append(String.format(
                    Locale.ROOT,
                    "Thresholds in use: right first %d of %d, delay median %s s, p95 %s s; %d false alarms in %.1f service-hours.%n",
                    usual.right(),
                    usual.faults(),
                    Plateau.figure(usual.median()),
                    Plateau.figure(usual.p95()),
                    usual.alarms(),
                    usual.hours()));
        }
        text.append("Thresholds: ").append(curves.size());
        counts.forEach((judged, count) -> text.append(", ")
                .append(judged.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .append(' ')
                .append(count));
        return text.append(".\n").toString();
    }

    private String table() {
        StringBuilder text = new StringBuilder(
                "| rule | measure | mark | plateau | source | verdict |\n|---|---|---|---|---|---|\n");
        for (Curve curve : curves) {
            SweptMark mark = curve.mark();
            Plateau plateau = Plateau.of(curve);
            text.append("| `")
                    .append(mark.rule())
                    .append("` | `")
                    .append(mark.measure())
                    .append("` | ")
                    .append(mark.comparison())
                    .append(mark.isStopLimit() ? "" : " ")
                    .append(Plateau.figure(mark.mark()))
                    .append(" | ")
                    .append(
                            switch (plateau.judgement()) {
                                case NOT_EXERCISED, ZERO -> "";
                                default -> plateau.range(mark);
                            })
                    .append(" | ")
                    .append(mark.source().replace("|", "\\|"))
                    .append(" | ")
                    .append(plateau.words())
                    .append(" |\n");
        }
        return text.toString();
    }

    private String tableCsv() {
        StringBuilder text = new StringBuilder(
                "rule,measure,comparison,mark,from,to,verdict,moveTo,touched,source\n");
        for (Curve curve : curves) {
            SweptMark mark = curve.mark();
            Plateau plateau = Plateau.of(curve);
            text.append(String.join(
                            ",",
                            mark.rule(),
                            mark.measure(),
                            mark.comparison(),
                            Plateau.figure(mark.mark()),
                            Plateau.figure(mark.mark() * plateau.from()),
                            Plateau.figure(mark.mark() * plateau.to()),
                            plateau.judgement().name().toLowerCase(Locale.ROOT),
                            Plateau.figure(plateau.moveTo()),
                            "" + curve.touched(),
                            '"' + mark.source().replace("\"", "\"\"") + '"'))
                    .append('\n');
        }
        return text.toString();
    }

    private String curvesCsv() {
        StringBuilder text = new StringBuilder(
                "rule,measure,factor,mark,right,faults,median,p95,alarms,alarmsPerHour\n");
        for (Curve curve : curves) {
            for (int factor = 0;
                    curve.touched() > 0 && factor < SweptMark.FACTORS.size();
                    factor++) {
                Point point = curve.points().get(factor);
                text.append(String.format(
                        Locale.ROOT,
                        "%s,%s,%.4f,%s,%d,%d,%s,%s,%d,%.5f%n",
                        curve.mark().rule(),
                        curve.mark().measure(),
                        SweptMark.FACTORS.get(factor),
                        Plateau.figure(curve.mark().times(factor)),
                        point.right(),
                        point.faults(),
                        Plateau.figure(point.median()),
                        Plateau.figure(point.p95()),
                        point.alarms(),
                        point.alarmsPerHour()));
            }
        }
        return text.toString();
    }
}
