package dev.komainu.proxy.purge;

import dev.komainu.proxy.cache.CacheKey;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What members tell each other of purges ({@code docs/formats/organizer-messages.md}), a line each:
 *
 * <pre>
 *   heard web1@1795315399665:17,web2@1795315400000:4
 *   forgotten
 *   purge web1@1795315399665 17 hard uri www.example.com%2Fa
 * </pre>
 *
 * @param heard what the sender knows
 * @param forgotten the receiver lacks some that the sender no longer has
 * @param entries some that the receiver lacks, in order
 */
public record PurgeText(Map<String, Long> heard, boolean forgotten, List<PurgeLog.Entry> entries) {

    public PurgeText {
        heard = Map.copyOf(heard);
        entries = List.copyOf(entries);
    }

    public String write() {
        StringBuilder out =
                new StringBuilder("heard ").append(PurgeLog.text(heard)).append('\n');
        if (forgotten) {
            out.append("forgotten\n");
        }
        for (PurgeLog.Entry entry : entries) {
            PurgeOrder order = entry.order();
            out.append("purge ").append(entry.source()).append(' ').append(entry.number());
            out.append(order.soft() ? " soft " : " hard ");
            out.append(
                    switch (order.target()) {
                        case PurgeOrder.Uri uri -> "uri " + encoded(uri.key().toString());
                        case PurgeOrder.Prefix prefix -> "prefix " + encoded(prefix.text());
                        case PurgeOrder.Labelled some ->
                            "labels "
                                    + some.labels().stream()
                                            .map(PurgeText::encoded)
                                            .collect(Collectors.joining("&"));
                    });
            out.append('\n');
        }
        return out.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException naming the line that is none of these */
    public static PurgeText read(String text) {
        Map<String, Long> heard = Map.of();
        boolean forgotten = false;
        List<PurgeLog.Entry> entries = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "heard" -> heard = PurgeLog.parse(words.length > 1 ? words[1] : "");
                case "forgotten" -> forgotten = true;
                case "purge" -> entries.add(entry(line, words));
                default -> throw new IllegalArgumentException(line + " (expected: heard, forgotten or purge)");
            }
        }
        return new PurgeText(heard, forgotten, entries);
    }

    private static PurgeLog.Entry entry(String line, String[] words) {
        if (words.length != 6) {
            throw new IllegalArgumentException(line + " (expected: purge SOURCE NUMBER hard|soft KIND WHAT)");
        }
        PurgeOrder.Target target = switch (words[4]) {
            case "uri" -> new PurgeOrder.Uri(CacheKey.of(decoded(words[5])));
            case "prefix" -> new PurgeOrder.Prefix(decoded(words[5]));
            case "labels" ->
                new PurgeOrder.Labelled(Arrays.stream(words[5].split("&"))
                        .map(PurgeText::decoded)
                        .toList());
            default -> throw new IllegalArgumentException(words[4] + " (expected: uri, prefix or labels)");
        };
        return new PurgeLog.Entry(
                words[1], Long.parseLong(words[2]), new PurgeOrder(target, words[3].equals("soft"), false));
    }
}
