package dev.komainu.intermediary.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages with their expected outcome, from {@code resources/strict}; the first lines of
 * requests.txt describe the format.
 */
public final class Corpus {

    /**
     * A request.
     *
     * @param statuses statuses of the responses that the client receives, in order; 0: none
     * @param seen complete requests at the origin; -1: none, but perhaps a truncated one
     * @param expectations "+text" or "-text", for the last of them
     */
    public record Message(
            List<Integer> statuses,
            int seen,
            String name,
            String bytes,
            List<String> expectations) {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * A response of an origin.
     *
     * @param status first status that the client receives
     * @param outcome whole, broken or 502
     * @param expectations "+text" or "-text", for the response
     */
    public record Answer(
            int status, String outcome, String name, String bytes, List<String> expectations) {
        @Override
        public String toString() {
            return name;
        }
    }

    private Corpus() {}

    public static List<Answer> answers(String file) {
        List<Answer> answers = new ArrayList<>();
        forEachLine(
                file,
                line -> {
                    String[] parts = line.split(" \\| ", 3);
                    String[] outcome = parts[0].split(" ");
                    answers.add(new Answer(
                            Integer.parseInt(outcome[0]),
                            outcome[1],
                            parts[1],
                            text(parts[2]),
                            new ArrayList<>()));
                },
                expectation -> answers.getLast().expectations().add(expectation));
        return answers;
    }

    public static List<Message> read(String file) {
        List<Message> messages = new ArrayList<>();
        forEachLine(
                file,
                line -> messages.add(message(line)),
                expectation -> messages.getLast().expectations().add(expectation));
        return messages;
    }

    private static void forEachLine(
            String file, Consumer<String> line, Consumer<String> expectation) {
        try (InputStream in =
                Objects.requireNonNull(Corpus.class.getResourceAsStream("/strict/" + file), file)) {
            for (String current :
                    new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (current.startsWith("  >") || current.startsWith("  <")) {
                    expectation.accept(
                            (current.charAt(2) == '>' ? "+" : "-") + text(current.substring(4)));
                } else if (!current.isBlank() && !current.startsWith("#")) {
                    line.accept(current);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Message message(String line) {
        String[] parts = line.split(" \\| ", 3);
        String[] outcome = parts[0].split(" ");
        List<Integer> statuses = new ArrayList<>();
        for (String status : outcome[0].split(",")) {
            statuses.add(Integer.valueOf(status));
        }
        int seen = outcome[1].equals("x")
                ? -1
                : outcome[1].equals("-") ? 0 : Integer.parseInt(outcome[1]);
        return new Message(statuses, seen, parts[1], text(parts[2]), new ArrayList<>());
    }

    /** Decodes a message from its notation in the file; repetitions may be nested. */
    static String text(String written) {
        String text = written;
        int open = text.lastIndexOf('{');
        while (open >= 0) {
            int star = text.indexOf('*', open);
            int close = star < 0 ? -1 : text.indexOf('}', star);
            if (close < 0 || !text.substring(star + 1, close).matches("[0-9]+")) {
                break;
            }
            String once = text.substring(open + 1, star);
            text = text.substring(0, open)
                    + once.repeat(Integer.parseInt(text.substring(star + 1, close)))
                    + text.substring(close + 1);
            open = text.lastIndexOf('{');
        }
        return unescaped(text.replace("~", "\r\n"));
    }

    private static String unescaped(String text) {
        Matcher escapes = Pattern.compile("\\\\(x[0-9a-f]{2}|.)").matcher(text);
        return escapes.replaceAll(match -> {
            String code = match.group(1);
            String plain = switch (code.charAt(0)) {
                case 'r' -> "\r";
                case 'n' -> "\n";
                case 't' -> "\t";
                case '0' -> "\0";
                case 'x' -> String.valueOf((char) Integer.parseInt(code.substring(1), 16));
                default -> code;
            };
            return Matcher.quoteReplacement(plain);
        });
    }
}
