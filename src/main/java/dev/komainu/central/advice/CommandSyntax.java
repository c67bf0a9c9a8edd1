package dev.komainu.central.advice;

import dev.komainu.central.indices.LocalizedText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of one value, as shell commands with {@code {setting}}, {@code {value}},
 * {@code {file}} and {@code {line}} still open. {@code set} and {@code remove} are each other's way
 * back: with the captured value where the file said one, else by taking out the very line that was
 * put in.
 *
 * @param like another syntax of the page, for whatever is absent here
 * @param runtime changes it until the next start; absent where there is no such way
 * @param set changes it where it stands in the file; absent: {@code add}, which writes a file of
 *     our own
 * @param add puts it into a file that does not say it yet
 * @param remove takes out what {@code add} put in
 * @param undo brings the runtime value back where that differs from {@code runtime} with the value
 *     before
 * @param verify shows what counts
 * @param text what is done, for people; absent: "Set it"
 * @param commandLine the file holds the server's command line: a value found there stands in it
 * @param own the file is another than the server's main one
 * @param glue stands between a value's words in place of blanks
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

    /** With the other's words where this one has none. */
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

    /** A value as the file has it. */
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
     * @param command absent where nothing is to be done; {@code text} tells what it does
     * @param cost what it costs meanwhile
     * @param drops whether it cuts open connections
     */
    record Carry(
            @Nullable String command,
            @Nullable LocalizedText text,
            LocalizedText cost,
            boolean drops) {}
}
