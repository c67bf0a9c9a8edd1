package dev.komainu.central.verify;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The reason for the verdict of a verification. */
public enum VerdictReason {
    /** Fewer requests fail, or more get a response. */
    FEWER_FAILURES("Fewer requests fail or remain without a response at the same arrival rate."),
    /** Responses are faster. */
    FASTER("Responses are faster at the same arrival rate."),
    /** The load is higher, and responses are still better. */
    MORE_LOAD_CARRIED("More requests arrive than before, and clients still get better responses."),
    /** Fewer requests arrive, since fewer fail and are repeated; more are answered. */
    MORE_ANSWERED(
            "More requests are answered than before, and fewer fail. Fewer arrive, because clients repeat requests that failed."),
    /** The state model reported a saturated state before and the normal state now. */
    STATE_NORMAL("The service was not in its normal state before the change. It is normal now."),
    /** No value that clients notice differs. */
    NO_DIFFERENCE("No value that clients notice differs by more than random variation and 5 %."),
    MORE_FAILURES("More requests fail or remain without a response at the same arrival rate."),
    SLOWER("Responses are slower at the same arrival rate."),
    /** Responses are worse although the load is lower. */
    LESS_LOAD_SERVED_WORSE(
            "Fewer requests arrive than before, and clients still get worse responses."),
    STATE_WORSE("The service was in its normal state before the change. It is not normal now."),
    /** Some times improved, others got worse. */
    MIXED("Some responses are faster, others are slower."),
    LOAD_DIFFERED(
            "The load differed: too few seconds before and after the change had the same arrival rate."),
    TOO_FEW_SAMPLES("Too few seconds or requests were observed."),
    TOO_NOISY("The values vary too much to detect a difference of half their size."),
    ANOTHER_CHANGE("Another change was made during the measurement."),
    NO_DATA("The service reported nothing after the change.");

    private final String sentence;

    VerdictReason(String sentence) {
        this.sentence = sentence;
    }

    /** Returns the sentence for reports; the console has its own texts. */
    public String sentence() {
        return sentence;
    }

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the reason of a label.
     *
     * @throws IllegalArgumentException when there is no such reason
     */
    @JsonCreator
    public static VerdictReason ofLabel(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
