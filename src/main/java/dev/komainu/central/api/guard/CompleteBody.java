package dev.komainu.central.api.guard;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** A request's body that was read as a whole. Belongs to the request's thread. */
final class CompleteBody extends ServletInputStream {

    private static final int PIECE = 1 << 10;

    private final ByteArrayInputStream in;

    /**
     * Reads a body, in small pieces: most bodies are short, and a slow one must not hold more than
     * what came of it.
     */
    CompleteBody(InputStream body) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(PIECE);
        byte[] piece = new byte[PIECE];
        for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
            all.write(piece, 0, n);
        }
        in = new ByteArrayInputStream(all.toByteArray());
    }

    @Override
    public int read() {
        return in.read();
    }

    @Override
    public int read(byte[] into, int from, int length) {
        return in.read(into, from, length);
    }

    @Override
    public boolean isFinished() {
        return in.available() == 0;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
        throw new IllegalStateException("bodies are read by the request's thread");
    }
}
