package dev.komainu.central.advice;

import dev.komainu.central.advice.Advice.Effect;
import dev.komainu.central.indices.LocalizedText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One file of the advice book.
 *
 * @param name of the server or system, as people write it
 * @param unit systemd's name for the service; absent for systems
 * @param main the server's main file in its usual place; where discovery found another, that one is
 *     meant; absent for systems
 * @param let formulas with a name, for use in this page's other formulas and texts
 * @param syntaxes by the name of the place they write to
 * @param effects what it takes to bring a change into force; needed for every effect the items have
 * @param obsolete what is no longer advised
 */
record AdvicePage(
        String name,
        @Nullable String unit,
        @Nullable String main,
        Map<String, String> let,
        Map<String, CommandSyntax> syntaxes,
        Map<Effect, CommandSyntax.Carry> effects,
        List<AdviceItem> items,
        List<ObsoleteItem> obsolete) {

    AdvicePage {
        let = Objects.requireNonNullElse(let, Map.of());
        obsolete = Objects.requireNonNullElse(obsolete, List.of());
        syntaxes = whole(syntaxes);
    }

    /** Each with what it takes from the one it is like, which must stand before it. */
    private static Map<String, CommandSyntax> whole(Map<String, CommandSyntax> written) {
        Map<String, CommandSyntax> whole = new LinkedHashMap<>();
        written.forEach((place, syntax) -> {
            CommandSyntax other = syntax.like() == null ? null : whole.get(syntax.like());
            whole.put(place, other == null ? syntax : syntax.over(other));
        });
        return whole;
    }

    /** @param leaves leaves of the flowchart it is told at */
    record ObsoleteItem(
            String id,
            List<String> leaves,
            LocalizedText title,
            LocalizedText why,
            String reference) {}
}
