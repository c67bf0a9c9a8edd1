package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.advice.Advice;
import dev.komainu.central.advice.Instruction;
import dev.komainu.central.advice.WithdrawnAdvice;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of the flowchart, complete and immutable: its decisions, measurements and advice.
 *
 * @param id absent while it is not stored
 * @param by the user who started it; absent while it is not stored
 * @param flowchart version of the flowchart
 * @param path node ids in the order they were reached
 * @param leaves actions reached
 * @param system server and host of the advice
 * @param elsewhere the same advice for other systems than the server's own
 * @param obsolete advice that was withdrawn at these leaves, with the reason
 * @param instructions actions without a setting at these leaves
 * @param architecture type of table 6.1; absent in runs stored by older versions
 * @param entered the instant at which the service entered the state, of a run that was kept by
 *     itself; absent for others
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
        List<Instruction> instructions,
        @Nullable Architecture architecture,
        @Nullable Instant entered) {

    public Diagnosis {
        // Absent in runs stored by older versions.
        elsewhere = elsewhere == null ? List.of() : List.copyOf(elsewhere);
        obsolete = obsolete == null ? List.of() : List.copyOf(obsolete);
        instructions = instructions == null ? List.of() : List.copyOf(instructions);
    }

    /**
     * Returns the same diagnosis as it is stored.
     *
     * @param entered the instant of the entry, of a diagnosis that was kept by itself
     */
    public Diagnosis kept(String id, String by, @Nullable Instant entered) {
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
                instructions,
                architecture,
                entered);
    }
}
