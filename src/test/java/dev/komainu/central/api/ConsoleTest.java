package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the console's files as a browser receives them. */
class ConsoleTest extends CentralTest {

    @BeforeEach
    void setUp() {
        assumeTrue(
                getClass().getResource("/META-INF/resources/index.html") != null,
                "console: not built (expected: npm run build in admin-ui)");
    }

    @ParameterizedTest
    @CsvSource({
        "/tuning, ./#/tuning",
        "/services/web-01:80, ../#/services/web-01:80",
        "/services/192.0.2.1:8080, ../#/services/192.0.2.1:8080",
        "/clusters/shop/lines, ../../#/clusters/shop/lines"
    })
    void page_typedRouterPath_redirects(String path, String to) {
        CentralClient.Answer answer = stranger().get(path).expect(302);

        assertThat(answer.header("Location")).isEqualTo(to);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/index.html"})
    void page_ownAddress_isRevalidated(String path) {
        CentralClient.Answer answer = stranger().get(path).expect(200);

        assertThat(answer.header("Content-Type")).startsWith("text/html");
        assertThat(answer.header("Cache-Control")).contains("no-cache");
        assertThat(answer.body()).contains("<div id=\"app\"");
    }

    @Test
    void asset_hashedName_isCachedWithoutExpiry() {
        Matcher script = Pattern.compile("\"\\.?(/assets/[^\"]+\\.js)\"")
                .matcher(stranger().get("/").body());
        assertThat(script.find()).isTrue();

        CentralClient.Answer answer = stranger().get(script.group(1)).expect(200);

        assertThat(answer.header("Content-Type")).contains("javascript");
        assertThat(answer.header("Cache-Control")).contains("max-age=31536000", "immutable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"br", "gzip"})
    void asset_isSentAsItWasCompressedAtBuild(String coding) throws Exception {
        Matcher script = Pattern.compile("\"\\.?(/assets/[^\"]+\\.js)\"")
                .matcher(stranger().get("/").body());
        assertThat(script.find()).isTrue();
        long whole = stranger().get(script.group(1)).body().length();

        HttpResponse<byte[]> answer = accepting(coding, script.group(1));

        assertThat(answer.headers().firstValue("Content-Encoding")).contains(coding);
        assertThat(answer.headers().allValues("Vary").toString().toLowerCase(Locale.ROOT))
                .contains("accept-encoding");
        assertThat(answer.body().length).isLessThan((int) (whole / 2));
    }

    private HttpResponse<byte[]> accepting(String coding, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                            .header("Accept-Encoding", coding)
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/gone.js",
                "/favicon.gone",
                "/assets/../application.yml",
                "/META-INF/MANIFEST.MF"
            })
    void file_absent_isNotFoundInsteadOfThePage(String path) {
        assertThat(stranger().get(path).status()).isIn(400, 404);
    }
}
