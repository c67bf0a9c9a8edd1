package dev.komainu.central.alert.notify;

/**
 * The outcome of one delivery attempt.
 *
 * @param worthRetry whether the same could end otherwise later
 * @param words for people; without secrets
 */
public record DeliveryOutcome(boolean delivered, boolean worthRetry, String words) {

    private static final int LONGEST = 480;

    public DeliveryOutcome {
        words = words.replaceAll("\\p{Cntrl}+", " ").strip();
        if (words.length() > LONGEST) {
            words = words.substring(0, LONGEST) + "…";
        }
    }

    static DeliveryOutcome delivered(String words) {
        return new DeliveryOutcome(true, false, words);
    }

    static DeliveryOutcome later(String words) {
        return new DeliveryOutcome(false, true, words);
    }

    static DeliveryOutcome never(String words) {
        return new DeliveryOutcome(false, false, words);
    }
}
