package dev.komainu.central.alert.notify;

/**
 * The outcome of one delivery attempt.
 *
 * @param worthRetry whether a retry can succeed
 * @param text description for users; without secrets
 */
public record DeliveryOutcome(boolean delivered, boolean worthRetry, String text) {

    private static final int LONGEST = 480;

    public DeliveryOutcome {
        text = text.replaceAll("\\p{Cntrl}+", " ").strip();
        if (text.length() > LONGEST) {
            text = text.substring(0, LONGEST) + "…";
        }
    }

    static DeliveryOutcome delivered(String text) {
        return new DeliveryOutcome(true, false, text);
    }

    static DeliveryOutcome later(String text) {
        return new DeliveryOutcome(false, true, text);
    }

    static DeliveryOutcome never(String text) {
        return new DeliveryOutcome(false, false, text);
    }
}
