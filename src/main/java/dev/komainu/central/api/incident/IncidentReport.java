package dev.komainu.central.api.incident;

import dev.komainu.central.incident.Incident;
import dev.komainu.central.incident.IncidentMember;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The report of one incident as Markdown, for a ticket or a wiki. Pure. */
final class IncidentReport {

    private IncidentReport() {}

    static String of(Incident incident, List<IncidentEvent> events, Instant now) {
        StringBuilder text = new StringBuilder();
        Instant ended = incident.ended();
        text.append("# Incident ")
                .append(incident.id())
                .append(": ")
                .append(plain(incident.root()))
                .append(", ")
                .append(incident.rootMember().state().label())
                .append("\n\n- Began: ")
                .append(incident.began())
                .append("\n- Ended: ")
                .append(ended == null ? "not yet" : ended)
                .append("\n- Duration: ")
                .append(seconds(incident.began(), ended == null ? now : ended))
                .append("\n- Cause: ")
                .append(plain(incident.rootMember().cause().en()))
                .append(
                        "\n\n| service | state | from | to | highest p95 | dependency on the root |\n")
                .append("|---|---|---|---|---|---|\n");
        for (IncidentMember member : incident.members()) {
            text.append(row(
                    plain(member.service()),
                    member.state().label(),
                    member.since().toString(),
                    member.until() == null ? "" : member.until().toString(),
                    millis(member.worstResponseP95Millis()),
                    member.service().equals(incident.root())
                            ? "root"
                            : member.basis() == null ? "" : member.basis().text()));
        }
        text.append("\n| time | event | service | text |\n|---|---|---|---|\n");
        for (IncidentEvent event : events) {
            text.append(row(
                    event.at().toString(),
                    event.kind(),
                    event.service() == null ? "" : plain(event.service()),
                    plain(sentence(event))));
        }
        return text.toString();
    }

    private static String sentence(IncidentEvent event) {
        String text = event.text().en();
        if (event.from() != null && event.to() != null) {
            text = event.from().label() + " → " + event.to().label() + ": " + text;
        }
        return event.by() == null ? text : text + " (" + event.by() + ")";
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static String seconds(Instant from, Instant to) {
        return Duration.between(from, to).toSeconds() + " s";
    }

    private static String millis(@Nullable Double millis) {
        return millis == null ? "" : String.format(Locale.ROOT, "%,.0f ms", millis);
    }

    /** Returns text without the characters that Markdown interprets in a table. */
    private static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}|`<>\\[\\]*_]", " ").strip();
    }
}
