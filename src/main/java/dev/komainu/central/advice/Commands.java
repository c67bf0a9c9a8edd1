package dev.komainu.central.advice;

import dev.komainu.central.advice.Advice.Kind;
import dev.komainu.central.advice.Advice.Step;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.LocalizedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one piece of advice, in their order: the page's syntax filled with this server's
 * values.
 */
final class Commands {

    private static final LocalizedText AT_ONCE =
            LocalizedText.of("Takes effect at once, until the next start", "即時に反映(次の起動まで)");
    private static final LocalizedText SET = LocalizedText.of("Set the value", "値を設定する");
    private static final LocalizedText VERIFY =
            LocalizedText.of("Check that the value is in effect", "反映を確認する");

    private final AdviceItem item;
    private final CommandSyntax syntax;
    private final CommandSyntax.Carry carry;
    private final FoundSetting found;
    private final boolean inFile;
    private final @Nullable String file;
    private final String proposed;
    private final FormulaValues figures;
    private final ServiceProfile service;

    Commands(
            AdviceItem item,
            CommandSyntax syntax,
            CommandSyntax.Carry carry,
            FormulaValues figures,
            FoundSetting found,
            boolean inFile,
            @Nullable String file,
            String proposed) {
        this.item = item;
        this.syntax = syntax;
        this.carry = carry;
        this.figures = figures;
        this.found = found;
        this.inFile = inFile;
        this.file = file;
        this.proposed = proposed;
        this.service = figures.service();
    }

    /**
     * Returns the steps.
     *
     * @param companions commands of the values that change together with this one: all are written
     *     before the one action that makes them take effect
     */
    List<Step> steps(List<Commands> companions) {
        List<Step> steps = new ArrayList<>();
        if (syntax.runtime() != null) {
            steps.add(new Step(Kind.RUNTIME, AT_ONCE, fill(syntax.runtime(), proposed)));
        }
        companions.forEach(companion -> steps.add(companion.persistent()));
        steps.add(persistent());
        if (carry.command() != null) {
            steps.add(new Step(
                    Kind.RELOAD,
                    Objects.requireNonNullElse(carry.text(), SET),
                    fill(carry.command(), proposed)));
        }
        companions.forEach(companion -> steps.add(companion.verify()));
        steps.add(verify());
        companions.forEach(companion ->
                steps.add(new Step(Kind.ROLLBACK, companion.back(), companion.undoing())));
        steps.add(new Step(Kind.ROLLBACK, back(), rollback()));
        return steps;
    }

    private Step persistent() {
        return new Step(Kind.PERSISTENT, syntax.text() == null ? SET : syntax.text(), writing());
    }

    private Step verify() {
        return new Step(Kind.VERIFY, VERIFY, fill(syntax.verifying(), proposed));
    }

    private LocalizedText back() {
        String before = inFile ? found.written() : found.value();
        String undo = syntax.undo();
        if (undo != null && undo.contains("{current}") && found.value() == null) {
            return LocalizedText.of(
                    "Remove the added setting. The running value is not restored: the value before is not known. It is in force until the next start.",
                    "追加した設定を取り除く。元の値が不明なため、動作中の値は次の起動まで戻りません");
        }
        return before == null
                ? LocalizedText.of("Remove the added setting", "追加した設定を取り除く")
                : LocalizedText.of("Restore the previous value: " + before, "元の値に戻す: " + before);
    }

    private String rollback() {
        List<String> commands = new ArrayList<>();
        String undo = syntax.undo();
        if (undo != null) {
            // An undo that needs the value before is left out where that value is not known.
            if (!undo.contains("{current}") || found.value() != null) {
                commands.add(fill(undo, proposed));
            }
        } else if (syntax.runtime() != null && found.value() != null) {
            commands.add(fill(syntax.runtime(), found.value()));
        }
        commands.add(undoing());
        if (carry.command() != null) {
            commands.add(fill(carry.command(), proposed));
        }
        return String.join(" && ", commands);
    }

    /** Returns the command that writes the value, without the command that makes it take effect. */
    String writing() {
        return fill(inFile ? syntax.setting() : syntax.adding(), proposed);
    }

    /** Returns the command that restores the file, byte for byte unless it was edited since. */
    String undoing() {
        String before = found.written() == null ? found.value() : found.written();
        return inFile
                ? fill(syntax.setting(), Objects.requireNonNull(before))
                : fill(syntax.removing(), proposed);
    }

    /** Fills a command: first the placeholders of the syntax, then those of all texts. */
    private String fill(String command, String value) {
        String directive = item.directive();
        List<String> names = new ArrayList<>(List.of(directive));
        names.addAll(item.also());
        String filled = command.replace("{setting}", directive)
                .replace("{names}", "(" + String.join("|", names) + ")")
                .replace("{value}", syntax.written(value))
                .replace("{source}", Objects.requireNonNullElse(found.source(), "FILE"))
                .replace(
                        "{line}",
                        inFile && found.line() != null ? String.valueOf(found.line()) : "");
        return new TextTemplate(figures, service, found.value(), proposed, file).fill(filled);
    }
}
