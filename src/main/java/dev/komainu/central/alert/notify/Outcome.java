package dev.komainu.central.alert.notify;

/**
 * How one attempt ended.
 *
 * @param worthRetry whether the same could end otherwise later
 * @param words for people; without secrets
 */
public record Outcome(boolean delivered, boolean worthRetry, String words) {

    private static final int LONGEST = 480;

    public Outcome {
        words = words.replaceAll("\\p{Cntrl}+", " ").strip();
        if (words.length() > LONGEST) {
            words = words.substring(0, LONGEST) + "…";
        }
    }

    static Outcome delivered(String words) {
        return new Outcome(true, false, words);
    }

    static Outcome later(String words) {
        return new Outcome(false, true, words);
    }

    static Outcome never(String words) {
        return new Outcome(false, false, words);
    }
}
