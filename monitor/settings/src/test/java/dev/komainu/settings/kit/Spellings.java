package dev.komainu.settings.kit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Texts of settings that all parts parse equally ({@code spellings.txt}). */
public final class Spellings {

    /**
     * A text and its meaning.
     *
     * @param value expected value; absent: the text is refused
     */
    public record Spelling(String text, @Nullable String value) {}

    private Spellings() {}

    /**
     * Reads the texts of one kind.
     *
     * @param kind size, duration, truth, address or share
     */
    public static List<Spelling> of(String kind) throws IOException {
        List<Spelling> all = new ArrayList<>();
        try (InputStream in =
                Objects.requireNonNull(Spellings.class.getResourceAsStream("/spellings.txt"))) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String[] parts = line.split("\t");
                if (parts.length == 3 && parts[0].equals(kind)) {
                    all.add(new Spelling(parts[1], parts[2].equals("!") ? null : parts[2]));
                }
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException(kind + " (expected: a kind of spellings.txt)");
        }
        return all;
    }
}
