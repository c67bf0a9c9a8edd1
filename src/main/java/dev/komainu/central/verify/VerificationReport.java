package dev.komainu.central.verify;

import dev.komainu.central.advice.Advice;
import dev.komainu.central.change.Change;
import dev.komainu.central.diagnosis.Decision;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexCatalogue;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The report of one run as Markdown, for a ticket or a wiki: diagnosis, change, measured values and
 * verdict. Pure.
 */
public final class VerificationReport {

    private final IndexCatalogue catalogue;
    private final StringBuilder text = new StringBuilder();

    private VerificationReport(IndexCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    public static String of(
            Verification.WithDiagnosis found, @Nullable Change change, IndexCatalogue catalogue) {
        VerificationReport report = new VerificationReport(catalogue);
        report.head(found.run(), change);
        if (found.run().result() != null) {
            report.figures(found.run().result());
        }
        if (found.diagnosis() != null) {
            report.diagnosis(
                    found.diagnosis(), change == null ? null : change.wish().adviceId());
        }
        return report.text.toString();
    }

    private void head(Verification run, @Nullable Change change) {
        line("# Verification " + run.id() + " of " + run.service());
        line("");
        if (change != null) {
            Change.Wish wish = change.wish();
            line("- Change " + change.id() + " by " + plain(change.by()) + " at " + change.at()
                    + ": " + plain(wish.title()));
            if (wish.setting() != null) {
                line("- `" + wish.setting() + "`: " + code(wish.before()) + " → "
                        + code(wish.after()));
            }
            if (wish.note() != null) {
                line("- Note: " + plain(wish.note()));
            }
        }
        VerificationPlan plan = run.plan();
        line("- Before: " + second(plan.baselineFrom()) + " to " + second(plan.baselineTo()));
        line("- After: " + second(plan.afterFrom()) + " to " + second(plan.afterTo()));
        Comparison result = run.result();
        if (result == null) {
            line("- Verdict: none yet");
        } else {
            line("- State: " + result.stateBefore().label() + " → "
                    + result.stateAfter().label());
            line("- **Verdict: " + result.verdict().label() + "**. "
                    + result.reason().sentence());
        }
        line("");
    }

    private void figures(Comparison result) {
        if (result.rows().isEmpty()) {
            return;
        }
        line("Load: " + number(result.loadBefore()) + " → " + number(result.loadAfter())
                + " requests/s; "
                + result.matchedBefore() + " of " + result.usableBefore() + " seconds before and "
                + result.matchedAfter() + " of " + result.usableAfter()
                + " after had the same (±10 %).");
        line("");
        line(
                "| index | unit | before | after | change | 95 % interval of the difference | verdict |");
        line("|---|---|---|---|---|---|---|");
        for (Comparison.Row row : result.rows()) {
            var index = catalogue.find(row.index());
            line("| " + (index == null ? row.index() : index.title().en()) + " | "
                    + (index == null ? "" : index.unit()) + " | " + number(row.before()) + " | "
                    + number(row.after())
                    + " | " + (row.change() == null ? "–" : percent(row.change())) + " | "
                    + number(row.low()) + " to "
                    + number(row.high()) + " | " + row.verdict().label() + " |");
        }
        line("");
    }

    private void diagnosis(Diagnosis diagnosis, @Nullable String adviceId) {
        line("## Diagnosis at the change");
        line("");
        line("State " + diagnosis.state().label() + ": "
                + plain(diagnosis.cause().en()) + " Flowchart " + diagnosis.flowchart() + ", "
                + plain(diagnosis.system()) + ".");
        line("");
        for (Decision decision : diagnosis.decisions()) {
            line("- `" + decision.node() + "`: "
                    + decision.verdict().name().toLowerCase(Locale.ROOT));
            for (Evidence evidence : decision.evidence()) {
                line("  - " + plain(evidence.text().en()));
            }
        }
        line("");
        for (Advice advice : diagnosis.advice()) {
            if (advice.id().equals(adviceId)) {
                line("## Advice");
                line("");
                line(plain(advice.title().en()) + ". "
                        + plain(advice.derivation().en()));
                line("");
                for (Advice.Step step : advice.steps()) {
                    line("- " + step.kind().label() + ": " + plain(step.text().en())
                            + (step.command() == null
                                    ? ""
                                    : " `" + step.command().replace('`', '\'') + "`"));
                }
                line("");
            }
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String second(long second) {
        return Instant.ofEpochSecond(second).toString();
    }

    private static String code(@Nullable String value) {
        return value == null ? "(not set)" : "`" + value.replace('`', '\'') + "`";
    }

    /** Escapes text of users, so that it cannot become tables or tags. */
    private static String plain(String words) {
        return words.replaceAll("[\\r\\n]+", " ").replace("|", "\\|").replace("<", "&lt;");
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%+.1f %%", share * 100);
    }

    private static String number(@Nullable Double value) {
        return value == null ? "–" : String.format(Locale.ROOT, "%.4g", value);
    }
}
