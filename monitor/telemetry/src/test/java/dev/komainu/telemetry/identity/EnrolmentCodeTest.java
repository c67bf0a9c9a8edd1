package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import org.junit.jupiter.api.Test;

class EnrolmentCodeTest {

    private static final String SECRET = "abcdefghijklmnopqrstuvwxyz-_0123";
    private static final String FINGERPRINT = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
    private static final String CODE = "https://central.example:7600#" + SECRET + "." + FINGERPRINT;

    private static EnrolmentCodeException mistake(String text) {
        return catchThrowableOfType(EnrolmentCodeException.class, () -> EnrolmentCode.parse(text));
    }

    @Test
    void parse_aCode_hasAddressSecretAndFingerprint() {
        assertThat(EnrolmentCode.parse(CODE))
                .isEqualTo(new EnrolmentCode(
                        URI.create("https://central.example:7600"), SECRET, FINGERPRINT));
        assertThat(EnrolmentCode.parse(CODE.replace("central.example", "[2001:db8::1]"))
                        .central())
                .isEqualTo(URI.create("https://[2001:db8::1]:7600"));
    }

    @Test
    void parse_aMistake_isToldWithItsPositionAndWhatWasExpected() {
        assertThat(mistake("").position()).isEqualTo(1);
        assertThat(mistake(CODE.replace("https", "http")))
                .hasMessage(
                        "character 1: another beginning (expected: " + EnrolmentCode.FORM + ")");
        // A shell that takes # for a comment leaves only the address.
        EnrolmentCodeException cut = mistake("https://central.example:7600");
        assertThat(cut.position()).isEqualTo(29);
        assertThat(cut.expected()).contains("in quotes");
        assertThat(mistake(CODE.replace(":7600", "")))
                .hasMessage("character 24: no port (expected: :PORT from 1 to 65535)");
        assertThat(mistake(CODE.replace(":7600", ":70000")).position()).isEqualTo(24);
        assertThat(mistake(CODE.replace("central.example", "")).position()).isEqualTo(9);
        assertThat(mistake(CODE.replace(":7600", ":7600/api")).position()).isEqualTo(29);
        assertThat(mistake(CODE.replace("central", "me@central")).position()).isEqualTo(11);
        assertThat(mistake(CODE.substring(0, CODE.indexOf('.', 40))).expected())
                .isEqualTo(".FINGERPRINT");
    }

    @Test
    void parse_aMistakeInSecretOrFingerprint_isToldWithoutTheSecret() {
        EnrolmentCodeException shortened = mistake(CODE.replace("abc", "ab"));
        assertThat(shortened.position()).isEqualTo(61);
        assertThat(shortened)
                .hasMessage("character 61: a secret of 31 characters (expected: 32 characters)");
        assertThat(mistake(CODE.replace("abc", "abcabc")).position()).isEqualTo(62);
        EnrolmentCodeException foreign = mistake(CODE.replace("def", "d+f"));
        assertThat(foreign.position()).isEqualTo(34);
        assertThat(foreign.getMessage()).doesNotContain("abcd").doesNotContain("ghij");
        assertThat(mistake(CODE.substring(0, CODE.length() - 1)))
                .hasMessageContaining("a fingerprint of 42 characters");
        assertThat(mistake(CODE + "\n").position()).isEqualTo(CODE.length() + 1);
    }

    @Test
    void parse_aLastCharacterWithBitsThatNoHashHas_isRefused() {
        // Base64 decoders ignore these bits: the code would never match the fingerprint as text.
        assertThatThrownBy(() -> EnrolmentCode.parse(CODE.substring(0, CODE.length() - 1) + "V"))
                .isInstanceOf(EnrolmentCodeException.class)
                .hasMessageContaining("character " + CODE.length());
    }

    @Test
    void toString_hasNoSecret() {
        assertThat(EnrolmentCode.parse(CODE).toString())
                .startsWith("https://central.example:7600")
                .doesNotContain(SECRET.substring(0, 6));
    }
}
