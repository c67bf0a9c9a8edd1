package dev.komainu.central.indices;

/** One sentence in the languages of the console. */
public record Text(String en, String ja) {

    public static Text of(String en, String ja) {
        return new Text(en, ja);
    }
}
