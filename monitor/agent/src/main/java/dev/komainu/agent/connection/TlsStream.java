package dev.komainu.agent.connection;

import dev.komainu.telemetry.record.TlsFacts;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Reads the record layer of TLS. (Not yet: directions alternate.) */
final class TlsStream {

    TlsStream(Exchanges exchanges, Alternation alternation) {}

    HttpStream.Result read(
            Row row, boolean up, MemorySegment memory, long offset, int known, long unknown, long micros) {
        return HttpStream.Result.LOST;
    }

    @Nullable
    TlsFacts drain(Row row) {
        return null;
    }
}
