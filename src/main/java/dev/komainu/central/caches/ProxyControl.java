package dev.komainu.central.caches;

import dev.komainu.central.caches.ControlEndpoints.Entry;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.PartRevocations;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of a proxy's or an organizer's control endpoint. Redirects are not followed: the token
 * is for this proxy only. Any thread; a call blocks until the proxy responds, at most
 * {@value #PATIENCE_SECONDS} s.
 */
@Component
public class ProxyControl {

    private static final int PATIENCE_SECONDS = 15;
    private static final int MOST_BYTES = 8 << 20;

    private final HttpClient http;
    // Newer proxies may send more members.
    private final JsonMapper mapper = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    public ProxyControl(ObjectProvider<Authority> authority, PartRevocations revocations) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(3))
                .followRedirects(HttpClient.Redirect.NEVER)
                .sslContext(ControlTrust.context(authority.getIfAvailable(), revocations))
                .build();
    }

    /** Returns the figures that the proxy reports now. */
    public ProxyFigures figures(Entry proxy) throws ControlFailure {
        JsonNode figures = tree(send(proxy, "/control/v1/stats", Map.of(), null));
        Map<String, Double> numbers = new LinkedHashMap<>();
        figures.properties().forEach(field -> {
            if (field.getValue().isNumber()) {
                numbers.put(field.getKey(), field.getValue().asDouble());
            }
        });
        List<ProxyFigures.Origin> origins = new ArrayList<>();
        for (JsonNode origin : figures.path("origins")) {
            origins.add(new ProxyFigures.Origin(
                    origin.path("server").asString(""),
                    origin.path("up").asBoolean(true),
                    origin.path("open").asLong(0),
                    origin.path("waiting").asLong(0),
                    origin.path("requests").asLong(0),
                    origin.path("failures").asLong(0),
                    origin.path("ejections").asLong(0)));
        }
        return new ProxyFigures(numbers, List.copyOf(origins));
    }

    /** Returns the proxy's present memory and connection management. */
    public CacheManagement management(Entry proxy) throws ControlFailure {
        JsonNode figures = tree(send(proxy, "/control/v1/stats", Map.of(), null));
        return new CacheManagement(
                part(figures, "cachePartition", CachePools.class),
                part(figures, "reclaim", IdleConnections.class),
                part(figures, "buffers", SocketBufferReport.class),
                // Present only with a disk tier.
                figures.path("peak").isBoolean() ? peak(proxy) : null);
    }

    /** Returns the proxy's peak decision. */
    private CachePeak peak(Entry proxy) throws ControlFailure {
        return read(send(proxy, "/control/v1/peak", Map.of(), null), CachePeak.class);
    }

    /**
     * Orders peak or off-peak for some time, or ends the order.
     *
     * @param mode peak, off-peak or auto
     * @param seconds duration of the order
     */
    public CachePeak orderPeak(Entry proxy, String mode, int seconds) throws ControlFailure {
        Map<String, String> query = Map.of("mode", mode, "seconds", Integer.toString(seconds));
        HttpRequest.Builder request =
                request(proxy, "/control/v1/peak", query).POST(HttpRequest.BodyPublishers.noBody());
        return read(exchange(proxy, request), CachePeak.class);
    }

    private <T> @Nullable T part(JsonNode figures, String member, Class<T> as)
            throws ControlFailure {
        JsonNode found = figures.get(member);
        if (found == null || !found.isObject()) {
            return null;
        }
        try {
            return mapper.treeToValue(found, as);
        } catch (JacksonException e) {
            throw unreadable(e);
        }
    }

    /** Returns the partition of the proxy's cache. */
    public CachePools pools(Entry proxy) throws ControlFailure {
        return read(send(proxy, "/control/v1/partition", Map.of(), null), CachePools.class);
    }

    /** Changes the partition of the proxy's cache. */
    public CachePools divide(Entry proxy, CachePools.Order order) throws ControlFailure {
        HttpRequest.Builder request = request(proxy, "/control/v1/partition", Map.of())
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofByteArray(mapper.writeValueAsBytes(order)));
        return read(exchange(proxy, request), CachePools.class);
    }

    /**
     * Returns the stored responses below a prefix.
     *
     * @param queries whether the caller may see the queries of URLs
     */
    public CacheContents contents(
            Entry proxy,
            String prefix,
            String sort,
            int limit,
            @Nullable String cursor,
            boolean queries)
            throws ControlFailure {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("prefix", prefix);
        query.put("sort", sort);
        query.put("limit", Integer.toString(limit));
        if (cursor != null) {
            query.put("cursor", cursor);
        }
        hide(query, queries);
        return read(send(proxy, "/control/v1/contents", query, null), CacheContents.class);
    }

    /**
     * Returns the stored responses of one URL.
     *
     * @param queries whether the caller may see the queries of URLs
     */
    public StoredObject object(Entry proxy, String url, boolean queries) throws ControlFailure {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("url", url);
        hide(query, queries);
        return read(send(proxy, "/control/v1/contents/object", query, null), StoredObject.class);
    }

    /** Asks for a page without queries. This service's token may purge, its caller may not. */
    private static void hide(Map<String, String> query, boolean queries) {
        if (!queries) {
            query.put("hideQueries", "true");
        }
    }

    /** Purges the responses that the order names, or counts them. */
    public PurgeResult purge(Entry proxy, CachePurge order) throws ControlFailure {
        return read(
                send(proxy, "/control/v1/purge", Map.of(), mapper.writeValueAsBytes(order)),
                PurgeResult.class);
    }

    /** Drains an organizer (new requests go to other members where possible), or ends the drain. */
    public void drain(Entry organizer, boolean on) throws ControlFailure {
        order(organizer, "/control/v1/drain", Map.of("on", Boolean.toString(on)));
    }

    /** Sets an organizer's weight for a URL prefix that it serves. */
    public void weigh(Entry organizer, String prefix, int weight) throws ControlFailure {
        order(
                organizer,
                "/control/v1/weight",
                Map.of("prefix", prefix, "weight", Integer.toString(weight)));
    }

    private void order(Entry organizer, String path, Map<String, String> query)
            throws ControlFailure {
        exchange(
                organizer,
                request(organizer, path, query).POST(HttpRequest.BodyPublishers.noBody()));
    }

    private byte[] send(
            Entry proxy, String path, Map<String, String> query, byte @Nullable [] order)
            throws ControlFailure {
        HttpRequest.Builder request = request(proxy, path, query);
        if (order != null) {
            request.header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(order));
        }
        return exchange(proxy, request);
    }

    private static HttpRequest.Builder request(
            Entry proxy, String path, Map<String, String> query) {
        String parameters = query.entrySet().stream()
                .map(parameter -> parameter.getKey() + "="
                        + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", query.isEmpty() ? "" : "?", ""));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(proxy.control() + path + parameters))
                .timeout(Duration.ofSeconds(PATIENCE_SECONDS));
        if (proxy.token() != null) {
            request.header("Authorization", "Bearer " + proxy.token());
        }
        return request;
    }

    private byte[] exchange(Entry proxy, HttpRequest.Builder request) throws ControlFailure {
        HttpResponse<byte[]> response;
        try {
            response = http.send(
                    request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
        } catch (IOException e) {
            throw new ControlFailure(
                    ControlFailure.Kind.UNREACHABLE,
                    proxy.control() + " (no response: "
                            + (e.getMessage() == null ? e.toString() : e.getMessage()) + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlFailure(
                    ControlFailure.Kind.UNREACHABLE, proxy.control() + " (interrupted)");
        }
        if (response.statusCode() != 200) {
            throw refused(proxy, response);
        }
        return response.body();
    }

    private ControlFailure refused(Entry proxy, HttpResponse<byte[]> response) {
        String detail;
        try {
            detail = mapper.readTree(response.body()).path("detail").asString("");
        } catch (JacksonException e) {
            detail = "";
        }
        int status = response.statusCode();
        ControlFailure.Kind kind = switch (status) {
            case 401, 403 -> ControlFailure.Kind.TOKEN;
            case 400, 422 -> ControlFailure.Kind.ORDER;
            case 404 -> ControlFailure.Kind.UNKNOWN;
            default -> ControlFailure.Kind.OTHER;
        };
        return new ControlFailure(
                kind,
                proxy.control() + " responded " + status + (detail.isEmpty() ? "" : ": " + detail));
    }

    private JsonNode tree(byte[] json) throws ControlFailure {
        try {
            return mapper.readTree(json);
        } catch (JacksonException e) {
            throw unreadable(e);
        }
    }

    private <T> T read(byte[] json, Class<T> as) throws ControlFailure {
        try {
            return mapper.readValue(json, as);
        } catch (JacksonException e) {
            throw unreadable(e);
        }
    }

    private static ControlFailure unreadable(JacksonException e) {
        return new ControlFailure(
                ControlFailure.Kind.OTHER,
                "The proxy's response cannot be read: " + e.getOriginalMessage());
    }
}
