package dev.komainu.central.oidc;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A browser without scripts: it keeps the cookies of each host and port, and follows redirects. It
 * does not know {@code SameSite}. One thread.
 */
final class CookieBrowser {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Pattern COOKIE = Pattern.compile("([^=;]+)=([^;]*)(.*)");
    private static final Pattern HIDDEN = Pattern.compile("name=\"([^\"]+)\" value=\"([^\"]*)\"");

    private final Map<String, Map<String, String>> cookies = new HashMap<>();
    private URI last = URI.create("about:blank");

    /** A response with the address that it came from. */
    record Page(URI address, int status, String location, String text) {

        JsonNode json() {
            return JsonMapper.shared().readTree(text);
        }
    }

    /** Returns a cookie of a host; empty without one. */
    String cookie(URI host, String name) {
        return cookies.getOrDefault(host.getAuthority(), Map.of()).getOrDefault(name, "");
    }

    void setCookie(URI host, String name, String value) {
        cookies.computeIfAbsent(host.getAuthority(), h -> new LinkedHashMap<>()).put(name, value);
    }

    /** Drops all cookies of a host. */
    void forget(URI host) {
        cookies.remove(host.getAuthority());
    }

    /** Requests one page. */
    Page get(URI address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(address).GET());
    }

    /** Sends a request with this browser's cookies. */
    Page send(HttpRequest.Builder request) throws IOException, InterruptedException {
        URI address = request.copy().build().uri();
        String sent = cookies.getOrDefault(address.getAuthority(), Map.of()).entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining("; "));
        if (!sent.isEmpty()) {
            request.setHeader("Cookie", sent);
        }
        HttpResponse<String> response = HTTP.send(
                request.timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString());
        response.headers().allValues("Set-Cookie").forEach(line -> keep(address, line));
        last = address;
        return new Page(
                address,
                response.statusCode(),
                response.headers().firstValue("Location").orElse(""),
                response.body());
    }

    private void keep(URI address, String line) {
        Matcher cookie = COOKIE.matcher(line);
        if (!cookie.matches()) {
            return;
        }
        Map<String, String> kept =
                cookies.computeIfAbsent(address.getAuthority(), h -> new LinkedHashMap<>());
        if (cookie.group(2).isEmpty() || cookie.group(3).contains("Max-Age=0")) {
            kept.remove(cookie.group(1));
        } else {
            kept.put(cookie.group(1), cookie.group(2));
        }
    }

    /**
     * Requests a page and follows redirects, except those to the console: they are returned, and
     * {@link Page#location} is the console's address.
     */
    Page open(URI address) throws IOException, InterruptedException {
        return follow(get(address));
    }

    private Page follow(Page first) throws IOException, InterruptedException {
        Page page = first;
        for (int i = 0; i < 20 && page.status() / 100 == 3; i++) {
            URI next = page.address().resolve(page.location());
            if (next.getFragment() != null || next.getPath().equals("/")) {
                return page;
            }
            page = get(next);
        }
        return page;
    }

    /** Fills in the provider's login page, which is the current one, and follows redirects. */
    Page logIn(String user) throws IOException, InterruptedException {
        return submit(last, Map.of("prompt", "login", "login", user, "password", "any"));
    }

    /** Confirms the provider's question whether to log out, and follows redirects. */
    Page confirmLogout(Page question) throws IOException, InterruptedException {
        Map<String, String> fields = new LinkedHashMap<>();
        Matcher hidden = HIDDEN.matcher(question.text());
        while (hidden.find()) {
            fields.put(hidden.group(1), hidden.group(2));
        }
        fields.put("logout", "yes");
        return submit(question.address().resolve("/session/end/confirm"), fields);
    }

    private Page submit(URI address, Map<String, String> fields)
            throws IOException, InterruptedException {
        String form = fields.entrySet().stream()
                .map(each -> each.getKey() + "="
                        + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return follow(send(HttpRequest.newBuilder(address)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))));
    }
}
