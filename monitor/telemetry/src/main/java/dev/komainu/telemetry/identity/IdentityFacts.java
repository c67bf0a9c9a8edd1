package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The facts about an identity that its certificate does not contain, or not in this form.
 *
 * @param central address of the central service at the enrolment
 * @param fingerprint fingerprint of the enrolment code
 * @param part id of the part
 * @param networks addresses that it may report about
 * @param leftOut addresses of its host that another part has
 * @param publicAuthorities whether the authorities of the Java runtime count too
 * @param serial serial number of the certificate that the two times belong to
 * @param received time at which the certificate came, by the clock of this host
 * @param life life of the certificate from its issue on, by the clock of the central service
 */
record IdentityFacts(
        URI central,
        String fingerprint,
        String part,
        PartNames names,
        List<String> networks,
        List<String> leftOut,
        boolean publicAuthorities,
        String serial,
        Instant received,
        Duration life) {

    IdentityFacts {
        networks = List.copyOf(networks);
        leftOut = List.copyOf(leftOut);
    }

    /** Returns the facts as a line of JSON. */
    String text() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("central", central.toString());
        values.put("fingerprint", fingerprint);
        values.put("part", part);
        values.put("kind", names.kind().text());
        values.put("source", names.source());
        if (names.node() != null) {
            values.put("node", names.node());
        }
        values.put("networks", networks);
        values.put("leftOut", leftOut);
        values.put("publicAuthorities", publicAuthorities);
        values.put("serial", serial);
        values.put("received", received.toString());
        values.put("life", life.toString());
        return new FlatJson(values).line() + "\n";
    }

    /**
     * Parses facts.
     *
     * @throws IOException naming the field and what was expected
     */
    static IdentityFacts parse(String text) throws IOException {
        FlatJson in = FlatJson.parse(text);
        try {
            return new IdentityFacts(
                    URI.create(in.text("central")),
                    in.text("fingerprint"),
                    in.text("part"),
                    names(in),
                    in.texts("networks"),
                    in.texts("leftOut"),
                    in.truth("publicAuthorities"),
                    in.text("serial"),
                    Instant.parse(in.text("received")),
                    Duration.parse(in.text("life")));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns the names in facts or in a response. */
    static PartNames names(FlatJson in) throws IOException {
        String kind = in.text("kind");
        for (PartNames.Kind each : PartNames.Kind.values()) {
            if (each.text().equals(kind.toLowerCase(Locale.ROOT))) {
                return new PartNames(each, in.text("source"), in.textOrAbsent("node"));
            }
        }
        throw new IOException("kind: " + kind + " (expected: agent, probe, proxy or organizer)");
    }
}
