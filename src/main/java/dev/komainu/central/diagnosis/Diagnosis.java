package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.advice.Advice;
import dev.komainu.central.advice.WithdrawnAdvice;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of the flowchart, whole and immutable: what was asked, measured, answered and advised.
 *
 * @param id absent while it is not kept
 * @param by who ran it; absent while it is not kept
 * @param flowchart version of the flowchart
 * @param path node ids in the order they were reached
 * @param leaves actions reached
 * @param system server and host the advice is for
 * @param elsewhere the same advice for other systems than the one found
 * @param obsolete what used to be advised at these leaves, and why no longer
 * @param architecture type of table 6.1; absent in runs kept by older versions
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Diagnosis(
        @Nullable String id,
        String service,
        Instant at,
        @Nullable String by,
        ServiceState state,
        LocalizedText cause,
        String flowchart,
        List<String> path,
        List<String> leaves,
        List<Decision> decisions,
        List<Advice> advice,
        String system,
        List<Advice> elsewhere,
        List<WithdrawnAdvice> obsolete,
        @Nullable Architecture architecture) {

    public Diagnosis {
        // Runs kept by older versions have none of these.
        elsewhere = elsewhere == null ? List.of() : List.copyOf(elsewhere);
        obsolete = obsolete == null ? List.of() : List.copyOf(obsolete);
    }

    public Diagnosis kept(String id, String by) {
        return new Diagnosis(
                id,
                service,
                at,
                by,
                state,
                cause,
                flowchart,
                path,
                leaves,
                decisions,
                advice,
                system,
                elsewhere,
                obsolete,
                architecture);
    }
}
