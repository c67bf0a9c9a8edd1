package dev.komainu.central.access.totp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of codes with the vectors of RFC 6238, RFC 4226 and RFC 4648. */
class TotpTest {

    private static final TotpSecret SECRET =
            TotpSecret.of("12345678901234567890".getBytes(StandardCharsets.US_ASCII));

    private static long matching(String code, long seconds) {
        return Totp.matchingStep(SECRET, code, Instant.ofEpochSecond(seconds)).orElse(-1);
    }

    /** RFC 6238 appendix B, SHA-1: the last six of eight digits. */
    @ParameterizedTest
    @CsvSource({
        "59, 287082",
        "1111111109, 081804",
        "1111111111, 050471",
        "1234567890, 005924",
        "2000000000, 279037",
        "20000000000, 353130"
    })
    void code_ofTheStandardsTimes_belongsToTheirStep(long seconds, String code) {
        assertThat(matching(code, seconds)).isEqualTo(seconds / 30);
    }

    /** RFC 4226 appendix D: the codes of the counters 0 to 9. */
    @ParameterizedTest
    @CsvSource({
        "0, 755224", "1, 287082", "2, 359152", "3, 969429", "4, 338314",
        "5, 254676", "6, 287922", "7, 162583", "8, 399871", "9, 520489"
    })
    void code_ofACounter_belongsToTheStepOfThisNumber(long counter, String code) {
        assertThat(matching(code, counter * 30)).isEqualTo(counter);
    }

    @Test
    void code_ofTheStepBeforeOrAfter_isAcceptedAndNoOther() {
        // 162583 is the code of step 7, from second 210 to second 239.
        assertThat(matching("162583", 179)).as("two steps early").isEqualTo(-1);
        assertThat(matching("162583", 180)).isEqualTo(7);
        assertThat(matching("162583", 225)).isEqualTo(7);
        assertThat(matching("162583", 269)).isEqualTo(7);
        assertThat(matching("162583", 270)).as("two steps late").isEqualTo(-1);
    }

    @Test
    void step_beforeTheEpoch_isRoundedDown() {
        assertThat(Totp.step(Instant.ofEpochSecond(-1))).isEqualTo(-1);
        assertThat(Totp.step(Instant.ofEpochSecond(0))).isZero();
        assertThat(Totp.step(Instant.ofEpochSecond(30))).isEqualTo(1);
    }

    /** RFC 4648 section 10, without padding. */
    @ParameterizedTest
    @CsvSource({
        "f, MY",
        "fo, MZXQ",
        "foo, MZXW6",
        "foob, MZXW6YQ",
        "fooba, MZXW6YTB",
        "foobar, MZXW6YTBOI"
    })
    void base32_ofTheStandardsTexts_isAsThere(String text, String encoded) {
        assertThat(Base32.encode(text.getBytes(StandardCharsets.US_ASCII))).isEqualTo(encoded);
    }

    @Test
    void secret_text_isThatOfTheStandardsSecret() {
        assertThat(SECRET.text()).isEqualTo("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assertThat(TotpSecret.ofStored(SECRET.stored())).isEqualTo(SECRET);
        assertThat(SECRET.toString()).doesNotContain(SECRET.text()).doesNotContain("12345");
    }

    @Test
    void secret_uri_namesAccountIssuerAndParameters() {
        assertThat(SECRET.uri("ann@central.example"))
                .isEqualTo(
                        "otpauth://totp/Komainu:ann%40central.example"
                                + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Komainu&algorithm=SHA1&digits=6&period=30");
    }

    @Test
    void secret_random_has160BitsAndNeverRepeats() {
        Set<String> texts = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            texts.add(TotpSecret.random().text());
        }
        assertThat(texts).hasSize(100).allMatch(text -> text.matches("[A-Z2-7]{32}"));
    }
}
