package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Rules for comments of the main code that the compiler does not check. The compiler refuses an
 * unknown tag and a comment without a summary; a known tag in the middle of a line is text for it.
 */
class CommentsTest {

    /** Text blocks, comments, strings and characters, so that a string is not read as a comment. */
    private static final Pattern TOKEN =
            Pattern.compile("\"\"\"(?:\\\\.|(?!\"\"\")[\\s\\S])*+\"\"\""
                    + "|(?<block>/\\*[\\s\\S]*?\\*/)|(?<line>//[^\\n]*)"
                    + "|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'");

    private static final Pattern TAG_IN_A_LINE = Pattern.compile(
            "(?m)^[ \\t/*]*[^ \\t/*\\n][^\\n]*(?<!\\{)@(?:param|return|throws|see)\\b");
    private static final Pattern PERSON =
            Pattern.compile("\\b(?:nobody|somebody|whoever|whom)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern QUESTION_ABOUT_A_TYPE = Pattern.compile(
            "/\\*\\*[\\s*]*(?:What|How|Who|Whom|Whose|Where|When|Which|Whether|Why)\\b"
                    + "(?:(?!\\*/)[\\s\\S])*\\*/\\s*(?:@\\w+(?:\\([^()]*\\))?\\s+)*"
                    + "(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
                    + "(?:class|interface|enum|record|@interface)\\s");

    @Test
    void blockTags_beginTheirLines() throws IOException {
        assertThat(comments(TAG_IN_A_LINE)).isEmpty();
    }

    @Test
    void comments_nameNoPersonsForPrograms() throws IOException {
        assertThat(comments(PERSON)).isEmpty();
    }

    @Test
    void commentsOfTypes_beginWithANoun() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : MainSources.files()) {
            find(QUESTION_ABOUT_A_TYPE, Files.readString(file), file, found);
        }
        assertThat(found).isEmpty();
    }

    @Test
    void eachRule_findsItsMistake() {
        assertThat(TAG_IN_A_LINE.matcher("/** X. @return y */").find()).isTrue();
        assertThat(TAG_IN_A_LINE
                        .matcher("/**\n * Returns y, {@return y}.\n * @return y\n */")
                        .find())
                .isFalse();
        assertThat(PERSON.matcher("// Nobody waits.").find()).isTrue();
        assertThat(QUESTION_ABOUT_A_TYPE
                        .matcher("/** How it ends. */\n@Deprecated\nfinal class End {")
                        .find())
                .isTrue();
        assertThat(QUESTION_ABOUT_A_TYPE
                        .matcher("/** How it ends. */\nint end;\n/** An end. */\nclass End {")
                        .find())
                .isFalse();
    }

    private static List<String> comments(Pattern mistake) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : MainSources.files()) {
            Matcher token = TOKEN.matcher(Files.readString(file));
            while (token.find()) {
                String comment = token.group("block");
                if (comment == null) {
                    comment = token.group("line");
                }
                if (comment != null) {
                    find(mistake, comment, file, found);
                }
            }
        }
        return found;
    }

    private static void find(Pattern mistake, String text, Path file, List<String> found) {
        Matcher match = mistake.matcher(text);
        while (match.find()) {
            found.add(MainSources.name(file) + ": " + match.group().strip());
        }
    }
}
