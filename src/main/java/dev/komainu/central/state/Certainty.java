package dev.komainu.central.state;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.state.CauseVerdict.Standing;
import java.util.List;
import java.util.Locale;

/** The certainty that a named state is the state of the first cause. */
public enum Certainty {
    /** Each cause above was measured since the onset and is ruled out. */
    HIGH,
    /** Some cause above cannot be seen; the evidence names the collector. */
    MEDIUM,
    /** Some cause above is suspected, or its measurement did not arrive in time. */
    LOW;

    static Certainty of(List<CauseVerdict> above) {
        if (!above.stream().allMatch(CauseVerdict::isSettled)) {
            return LOW;
        }
        return above.stream().allMatch(each -> each.standing() == Standing.RULED_OUT)
                ? HIGH
                : MEDIUM;
    }

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
