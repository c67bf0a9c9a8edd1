package dev.komainu.central.api.change;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.verify.Comparison;
import dev.komainu.central.verify.Verdict;
import dev.komainu.central.verify.VerdictReason;
import dev.komainu.central.verify.Verification;
import dev.komainu.central.verify.VerificationPlan;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code Verification} of the contract.
 *
 * @param secondsLeft seconds until the last one that counts; absent when the run is over
 * @param diagnosis diagnosis at the start; only in the response for a single run
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record VerificationView(
        String id,
        String service,
        String changeId,
        String by,
        Instant started,
        Instant changed,
        Range before,
        Range after,
        VerificationPlan.Phase phase,
        @Nullable Long secondsLeft,
        ServiceState stateBefore,
        @Nullable Instant finished,
        @Nullable Verdict verdict,
        @Nullable VerdictReason reason,
        @Nullable Result result,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Diagnosis diagnosis) {

    /** A range of time; the end is exclusive. */
    record Range(Instant from, Instant to) {
        static Range of(long fromSecond, long toSecond) {
            return new Range(Instant.ofEpochSecond(fromSecond), Instant.ofEpochSecond(toSecond));
        }
    }

    /**
     * The result of a run.
     *
     * @param loadBefore mean requests a second before the change
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Result(
            @Nullable Double loadBefore,
            @Nullable Double loadAfter,
            int matchedBefore,
            int matchedAfter,
            int usableBefore,
            int usableAfter,
            ServiceState stateAfter,
            List<Row> rows) {}

    /**
     * The comparison of one index.
     *
     * @param change relative change; absent when the value before was 0
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Row(
            String index,
            LocalizedText title,
            String unit,
            String better,
            String group,
            double before,
            double after,
            @Nullable Double change,
            double low,
            double high,
            Verdict verdict,
            int secondsBefore,
            int secondsAfter) {}

    /** Two runs side by side, with every index of either run. */
    record Pair(VerificationView one, VerificationView other, List<PairRow> rows) {
        static Pair of(VerificationView one, VerificationView other) {
            Map<String, Row> left = byIndex(one);
            Map<String, Row> right = byIndex(other);
            List<PairRow> rows = java.util.stream.Stream.concat(
                            left.keySet().stream(), right.keySet().stream())
                    .distinct()
                    .map(index -> new PairRow(index, left.get(index), right.get(index)))
                    .toList();
            return new Pair(one, other, rows);
        }

        private static Map<String, Row> byIndex(VerificationView view) {
            return view.result() == null
                    ? Map.of()
                    : view.result().rows().stream()
                            .collect(Collectors.toMap(
                                    Row::index,
                                    Function.identity(),
                                    (a, b) -> a,
                                    java.util.LinkedHashMap::new));
        }
    }

    /** One index in both runs. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record PairRow(
            String index, @Nullable Row one, @Nullable Row other) {}

    static VerificationView of(
            Verification run,
            @Nullable Diagnosis diagnosis,
            IndexCatalogue catalogue,
            Instant now) {
        VerificationPlan plan = run.plan();
        Comparison result = run.result();
        return new VerificationView(
                Long.toString(run.id()),
                run.service(),
                Long.toString(run.changeId()),
                run.by(),
                run.started(),
                Instant.ofEpochSecond(plan.changed()),
                Range.of(plan.baselineFrom(), plan.baselineTo()),
                Range.of(plan.afterFrom(), plan.afterTo()),
                run.phase(now),
                result == null ? Long.valueOf(plan.secondsLeft(now.getEpochSecond())) : null,
                run.stateBefore(),
                run.finished(),
                result == null ? null : result.verdict(),
                result == null ? null : result.reason(),
                result == null ? null : result(result, catalogue),
                diagnosis);
    }

    private static Result result(Comparison comparison, IndexCatalogue catalogue) {
        return new Result(
                comparison.loadBefore(),
                comparison.loadAfter(),
                comparison.matchedBefore(),
                comparison.matchedAfter(),
                comparison.usableBefore(),
                comparison.usableAfter(),
                comparison.stateAfter(),
                comparison.rows().stream().map(row -> row(row, catalogue)).toList());
    }

    private static Row row(Comparison.Row compared, IndexCatalogue catalogue) {
        // The index can have been removed from the catalogue since; the run stays readable.
        IndexDefinition index = catalogue.find(compared.index());
        return new Row(
                compared.index(),
                index == null
                        ? LocalizedText.of(compared.index(), compared.index())
                        : index.title(),
                index == null ? "" : index.unit(),
                compared.better(),
                compared.group(),
                compared.before(),
                compared.after(),
                compared.change(),
                compared.low(),
                compared.high(),
                compared.verdict(),
                compared.secondsBefore(),
                compared.secondsAfter());
    }
}
