package dev.komainu.central.indices;

/** One sentence in the languages of the console. */
public record LocalizedText(String en, String ja) {

    public static LocalizedText of(String en, String ja) {
        return new LocalizedText(en, ja);
    }
}
