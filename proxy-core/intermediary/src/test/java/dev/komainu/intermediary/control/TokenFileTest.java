package dev.komainu.intermediary.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {

    @TempDir
    Path directory;

    private Instant now = Instant.parse("2026-11-22T12:00:00Z");

    private TokenFile file(String text) throws IOException {
        return new TokenFile(Files.writeString(directory.resolve("tokens"), text), () -> now);
    }

    @Test
    void scopes_areThoseOfItsLine_andAllOnALineWithout() throws Exception {
        TokenFile tokens = file(
                "# who, what\n\nreader-reader-reader read\nboth-both-both-both read,purge\nold-form-of-one-word\n");
        assertThat(tokens.scopes("reader-reader-reader")).containsExactly(ControlScope.READ);
        assertThat(tokens.scopes("both-both-both-both"))
                .containsExactly(ControlScope.READ, ControlScope.PURGE);
        assertThat(tokens.scopes("old-form-of-one-word")).containsExactly(ControlScope.values());
        assertThat(tokens.scopes("reader-reader-reade")).isNull();
        assertThat(tokens.scopes("# who, what")).isNull();
        assertThat(tokens.scopes("")).isNull();
    }

    @Test
    void expiry_endsAtTheInstant_andADayAtItsEnd() throws Exception {
        TokenFile tokens = file(
                "instant-instant-instant read 2026-11-22T13:00:00Z\nday-day-day-day-day read 2026-11-22\n");
        assertThat(tokens.scopes("instant-instant-instant")).isNotNull();
        now = Instant.parse("2026-11-22T13:00:00Z");
        assertThat(tokens.scopes("instant-instant-instant")).isNull();
        assertThat(tokens.scopes("day-day-day-day-day")).isNotNull();
        now = Instant.parse("2026-11-23T00:00:00Z");
        assertThat(tokens.scopes("day-day-day-day-day")).isNull();
    }

    @Test
    void hash_representsItsToken_andIsNotATokenItself() throws Exception {

        assertThatThrownBy(() -> file("sha256:7c6f read\n"))
                .hasMessageContaining("64 hexadecimal digits");
        String right = java.util.HexFormat.of()
                .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                        .digest("secret-secret-secret"
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        TokenFile tokens = file("sha256:" + right + " purge\n");
        assertThat(tokens.scopes("secret-secret-secret")).containsExactly(ControlScope.PURGE);
        assertThat(tokens.scopes("sha256:" + right)).isNull();
    }

    @Test
    void change_appliesAtTheNextUse_andAMistakeInvalidatesAllTokens() throws Exception {
        TokenFile tokens = file("first-first-first-first\n");
        file("second-second-second read\n");
        assertThat(tokens.scopes("first-first-first-first")).isNull();
        assertThat(tokens.scopes("second-second-second")).containsExactly(ControlScope.READ);
        Files.writeString(
                directory.resolve("tokens"),
                "second-second-second read\nthird-third-third-third everything\n");
        assertThat(tokens.scopes("second-second-second")).isNull();
        Files.delete(directory.resolve("tokens"));
        assertThat(tokens.scopes("second-second-second")).isNull();
        file("second-second-second read,config\n");
        assertThat(tokens.scopes("second-second-second"))
                .containsExactly(ControlScope.READ, ControlScope.CONFIG);
    }

    @Test
    void mistakes_areReportedWithTheLine_withoutTheToken() {
        for (String bad : new String[] {
            "short read", "long-enough-long-enough write", "long-enough-long-enough read tomorrow",
            "long-enough-long-enough read 2027-01-01 more", "", "# nothing\n"
        }) {
            assertThatThrownBy(() -> file(bad))
                    .as(bad)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("expected")
                    .hasMessageNotContaining("long-enough");
        }
    }
}
