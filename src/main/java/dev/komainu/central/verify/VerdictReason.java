package dev.komainu.central.verify;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Why the whole got its verdict. */
public enum VerdictReason {
    /** Fewer requests fail, or more are answered. */
    FEWER_FAILURES("Fewer requests fail or wait unheard at the same arrival rate."),
    /** Answers come sooner. */
    FASTER("Answers come sooner at the same arrival rate."),
    /** More load is carried, and still better. */
    MORE_LOAD_CARRIED(
            "More requests arrive than before, and clients are served better all the same."),
    /** What the state model called saturated is normal now. */
    STATE_NORMAL("The service was not in its normal state before the change and is now."),
    /** Nothing clients notice differs. */
    NO_DIFFERENCE("Nothing that clients notice differs by more than chance and 5 %."),
    MORE_FAILURES("More requests fail or wait unheard at the same arrival rate."),
    SLOWER("Answers take longer at the same arrival rate."),
    /** Worse although there is less to do. */
    LESS_LOAD_SERVED_WORSE(
            "Fewer requests arrive than before, and clients are served worse all the same."),
    STATE_WORSE("The service was in its normal state before the change and is not any more."),
    /** Some times improved, others got worse. */
    MIXED("Some answers come sooner, others take longer."),
    LOAD_DIFFERED(
            "The load differed: too few seconds of both stretches had the same arrival rate."),
    TOO_FEW_SAMPLES("Too few seconds or requests were seen."),
    TOO_NOISY("The figures swing too much to tell a difference of half their size."),
    ANOTHER_CHANGE("Something else was changed while this was measured."),
    NO_DATA("Nothing was heard of the service after the change.");

    private final String sentence;

    VerdictReason(String sentence) {
        this.sentence = sentence;
    }

    /** For reports; the console has its own words. */
    public String sentence() {
        return sentence;
    }

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException when there is no such reason */
    @JsonCreator
    public static VerdictReason ofLabel(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
