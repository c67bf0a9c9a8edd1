package dev.komainu.central.advice;

import dev.komainu.central.indices.LocalizedText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of one value, as shell commands with the placeholders {@code {setting}},
 * {@code {value}}, {@code {file}} and {@code {line}}. {@code set} and {@code remove} undo each
 * other: with the captured value when the file contained one, else by deleting the added line.
 *
 * @param like another syntax of the page, the source of all absent parts
 * @param runtime changes the value until the next start; absent when that is not possible
 * @param set changes the value in its place in the file; absent: {@code add}, which writes a
 *     separate file
 * @param add adds the setting to a file that does not contain it yet
 * @param remove deletes the result of {@code add}
 * @param undo restores the runtime value where that differs from {@code runtime} with the previous
 *     value
 * @param verify shows the value in effect
 * @param text description for people; absent: "Set it"
 * @param commandLine the file contains the server's command line: a value found there is in it
 * @param own the file is another than the server's main one
 * @param glue separator of a value's words in place of blanks
 */
record CommandSyntax(
        @Nullable String like,
        @Nullable String runtime,
        @Nullable String set,
        @Nullable String add,
        @Nullable String remove,
        @Nullable String undo,
        @Nullable String verify,
        @Nullable LocalizedText text,
        @Nullable Boolean commandLine,
        @Nullable Boolean own,
        @Nullable String glue) {

    /** Returns this syntax, completed with the other's parts. */
    CommandSyntax over(CommandSyntax other) {
        return new CommandSyntax(
                null,
                or(runtime, other.runtime),
                or(set, other.set),
                or(add, other.add),
                or(remove, other.remove),
                or(undo, other.undo),
                or(verify, other.verify),
                text == null ? other.text : text,
                commandLine == null ? other.commandLine : commandLine,
                own == null ? other.own : own,
                or(glue, other.glue));
    }

    private static @Nullable String or(@Nullable String one, @Nullable String other) {
        return one == null ? other : one;
    }

    boolean isCommandLine() {
        return Boolean.TRUE.equals(commandLine);
    }

    boolean isOwnFile() {
        return Boolean.TRUE.equals(own);
    }

    /** Returns a value as the file writes it. */
    String written(String value) {
        return glue == null ? value : value.replace(" ", glue);
    }

    String adding() {
        return Objects.requireNonNull(add);
    }

    String setting() {
        return Objects.requireNonNullElse(set, adding());
    }

    String removing() {
        return Objects.requireNonNull(remove);
    }

    String verifying() {
        return Objects.requireNonNull(verify);
    }

    /**
     * The command that makes a change take effect.
     *
     * @param command absent when no action is needed; {@code text} describes the effect
     * @param cost cost during the action
     * @param drops whether it cuts open connections
     */
    record Carry(
            @Nullable String command,
            @Nullable LocalizedText text,
            LocalizedText cost,
            boolean drops) {}
}
