package dev.komainu.central.advice;

import dev.komainu.central.advice.Advice.Effect;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One file of the advice catalogue.
 *
 * @param name name of the server or system for people
 * @param unit systemd's name for the service; absent for systems
 * @param main the server's main file in its usual place; replaced by the file that discovery found;
 *     absent for systems
 * @param let named formulas for this page's other formulas and texts
 * @param syntaxes by the name of the place they write to
 * @param effects actions that make a change take effect; needed for every effect of the items
 * @param obsolete advice that was withdrawn
 * @param instructions actions without a setting
 */
record AdvicePage(
        String name,
        @Nullable String unit,
        @Nullable String main,
        Map<String, String> let,
        Map<String, CommandSyntax> syntaxes,
        Map<Effect, CommandSyntax.Carry> effects,
        List<AdviceItem> items,
        List<ObsoleteItem> obsolete,
        List<InstructionItem> instructions) {

    AdvicePage {
        let = Objects.requireNonNullElse(let, Map.of());
        obsolete = Objects.requireNonNullElse(obsolete, List.of());
        instructions = Objects.requireNonNullElse(instructions, List.of());
        syntaxes = complete(syntaxes);
    }

    /**
     * Returns each syntax completed from the syntax named by {@code like}, which must be defined
     * before it.
     */
    private static Map<String, CommandSyntax> complete(Map<String, CommandSyntax> written) {
        Map<String, CommandSyntax> completed = new LinkedHashMap<>();
        written.forEach((place, syntax) -> {
            CommandSyntax other = syntax.like() == null ? null : completed.get(syntax.like());
            completed.put(place, other == null ? syntax : syntax.over(other));
        });
        return completed;
    }

    /** Returns the item of an id that {@link AdviceCheck} has found on this page. */
    AdviceItem item(String id) {
        return items.stream()
                .filter(item -> item.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(id + ": no item of " + name));
    }

    /**
     * An item that was withdrawn.
     *
     * @param leaves leaves of the flowchart at which it is listed
     */
    record ObsoleteItem(
            String id,
            List<String> leaves,
            LocalizedText title,
            LocalizedText why,
            String reference) {}

    /**
     * An action without a setting, as its file writes it. {@code {capacity}} in its text stands for
     * the figures of the capacity model.
     *
     * @param leaves leaves of the flowchart it belongs to
     * @param when conditions of which one must hold; absent: always
     * @param measured how its effect is measured
     * @param command shows what to look at; absent when nothing is to be run
     */
    record InstructionItem(
            String id,
            List<String> leaves,
            @Nullable List<Condition> when,
            LocalizedText title,
            LocalizedText text,
            LocalizedText measured,
            @Nullable String command,
            String reference) {

        /** Reports whether the action fits what is measured now. */
        boolean fits(MeasurementView view) {
            return when == null
                    || when.stream().anyMatch(condition -> condition.holds(view, view.second()));
        }
    }
}
