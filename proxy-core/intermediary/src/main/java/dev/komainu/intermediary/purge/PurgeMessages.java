package dev.komainu.intermediary.purge;

import dev.komainu.intermediary.caching.CacheKey;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A message about purges between members ({@code docs/formats/organizer-messages.md}), one
 * statement a line:
 *
 * <pre>
 *   heard web1@1795315399665:17,web2@1795315400000:4
 *   forgotten
 *   grant web1@1795315399665 komainu-grant+1%0Acluster+shop…
 *   purge web1@1795315399665 17 hard uri www.example.com%2Fa SIGNATURE
 *   refused web2@1795315400000 4 outside-grant
 * </pre>
 *
 * <p>Grants and signatures are present only in clusters that have an authority.
 *
 * @param lastNumbers last numbers of the orders that the sender knows
 * @param forgotten true when the receiver lacks orders that the sender no longer has
 * @param entries orders that the receiver lacks, in their order
 * @param refused orders that the receiver sent and the sender does not carry out
 */
public record PurgeMessages(
        Map<String, Long> lastNumbers,
        boolean forgotten,
        List<PurgeLog.Entry> entries,
        List<RefusedOrder> refused) {

    /** An order that is not carried out. */
    public record RefusedOrder(String source, long number, PurgeRefusal why) {}

    public PurgeMessages {
        lastNumbers = Map.copyOf(lastNumbers);
        entries = List.copyOf(entries);
        refused = List.copyOf(refused);
    }

    public PurgeMessages(
            Map<String, Long> lastNumbers, boolean forgotten, List<PurgeLog.Entry> entries) {
        this(lastNumbers, forgotten, entries, List.of());
    }

    /** Writes the message as text. */
    public String write() {
        StringBuilder out =
                new StringBuilder("heard ").append(PurgeLog.text(lastNumbers)).append('\n');
        if (forgotten) {
            out.append("forgotten\n");
        }
        Map<String, String> grants = new HashMap<>();
        for (PurgeLog.Entry entry : entries) {
            PurgeProof proof = entry.proof();
            if (proof != null && !proof.grant().equals(grants.put(entry.source(), proof.grant()))) {
                out.append("grant ")
                        .append(entry.source())
                        .append(' ')
                        .append(encoded(proof.grant()));
                out.append('\n');
            }
            out.append(line(entry));
            out.append(proof == null ? "" : " " + proof.signature()).append('\n');
        }
        for (RefusedOrder refusedOrder : refused) {
            out.append("refused ")
                    .append(refusedOrder.source())
                    .append(' ')
                    .append(refusedOrder.number());
            out.append(' ').append(refusedOrder.why().text()).append('\n');
        }
        return out.toString();
    }

    /** Returns the line of an order, which its issuer signs. */
    public static String line(PurgeLog.Entry entry) {
        PurgeOrder order = entry.order();
        String targetText = switch (order.target()) {
            case PurgeOrder.Uri uri -> "uri " + encoded(uri.key().toString());
            case PurgeOrder.Prefix prefix -> "prefix " + encoded(prefix.text());
            case PurgeOrder.Labelled labelled ->
                "labels "
                        + labelled.labels().stream()
                                .map(PurgeMessages::encoded)
                                .collect(Collectors.joining("&"));
        };
        return "purge " + entry.source() + " " + entry.number()
                + (order.soft() ? " soft " : " hard ") + targetText;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /**
     * Parses a message.
     *
     * @throws IllegalArgumentException with the line that is invalid
     */
    public static PurgeMessages read(String text) {
        Map<String, Long> heard = Map.of();
        boolean forgotten = false;
        List<PurgeLog.Entry> entries = new ArrayList<>();
        List<RefusedOrder> refused = new ArrayList<>();
        // Orders of a life share one text of the grant: thousands of orders are kept.
        Map<String, String> grants = new HashMap<>();
        for (String line : text.split("\n")) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "heard" -> heard = PurgeLog.parse(words.length > 1 ? words[1] : "");
                case "forgotten" -> forgotten = true;
                case "grant" -> grants.put(word(line, words, 3, 1), decoded(words[2]));
                case "purge" -> entries.add(entry(line, words, grants));
                case "refused" ->
                    refused.add(new RefusedOrder(
                            word(line, words, 4, 1),
                            Long.parseLong(words[2]),
                            PurgeRefusal.parse(words[3])));
                default ->
                    throw new IllegalArgumentException(
                            line + " (expected: heard, forgotten, grant, purge or refused)");
            }
        }
        return new PurgeMessages(heard, forgotten, entries, refused);
    }

    private static String word(String line, String[] words, int count, int index) {
        if (words.length != count) {
            throw new IllegalArgumentException(line + " (expected: " + count + " words)");
        }
        return words[index];
    }

    private static PurgeLog.Entry entry(String line, String[] words, Map<String, String> grants) {
        if (words.length != 6 && words.length != 7) {
            throw new IllegalArgumentException(
                    line + " (expected: purge SOURCE NUMBER hard|soft KIND WHAT [SIGNATURE])");
        }
        String grant = words.length == 7 ? grants.get(words[1]) : null;
        PurgeOrder.Target target = switch (words[4]) {
            case "uri" -> new PurgeOrder.Uri(CacheKey.of(decoded(words[5])));
            case "prefix" -> new PurgeOrder.Prefix(decoded(words[5]));
            case "labels" ->
                new PurgeOrder.Labelled(Arrays.stream(words[5].split("&"))
                        .map(PurgeMessages::decoded)
                        .toList());
            default ->
                throw new IllegalArgumentException(words[4] + " (expected: uri, prefix or labels)");
        };
        return new PurgeLog.Entry(
                words[1],
                Long.parseLong(words[2]),
                new PurgeOrder(target, words[3].equals("soft"), false),
                grant == null ? null : new PurgeProof(grant, words[6]));
    }
}
