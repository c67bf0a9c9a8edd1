package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Endpoint;
import java.io.IOException;

/** Reads and writes the binary form of an endpoint, whose address is no component of its own. */
final class EndpointFields {

    private EndpointFields() {}

    static void write(Endpoint it, FieldWriter out) throws IOException {
        out.bytes(1, it.address().getAddress());
        out.int32(2, it.port());
    }

    static Endpoint read(FieldReader in) throws MalformedBatchException {
        byte[] address = new byte[0];
        int port = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> address = in.bytes();
                case 2 -> port = in.int32();
                default -> in.skip();
            }
        }
        return Endpoint.of(address, port);
    }
}
