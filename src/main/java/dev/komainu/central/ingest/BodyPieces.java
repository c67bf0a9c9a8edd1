package dev.komainu.central.ingest;

import dev.komainu.central.limit.BytesInHand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A body in pieces of fixed size, each taken from the budget of bytes in hand. */
final class BodyPieces {

    private static final int PIECE = 64 << 10;

    private final List<ByteArrayInputStream> pieces;
    private final long length;

    private BodyPieces(List<ByteArrayInputStream> pieces, long length) {
        this.pieces = pieces;
        this.length = length;
    }

    /**
     * Reads a body up to the first byte beyond a limit.
     *
     * @param announced length of the body; -1 when it is unknown
     */
    static BodyPieces read(InputStream in, long announced, long most, BytesInHand.Holding holding)
            throws IOException {
        List<ByteArrayInputStream> pieces = new ArrayList<>();
        long length = 0;
        while (length <= most) {
            long left = announced < 0 ? PIECE : announced - length;
            if (left == 0) {
                break;
            }
            int size = (int) Math.min(PIECE, left);
            holding.take(size);
            byte[] piece = new byte[size];
            int n = in.readNBytes(piece, 0, size);
            pieces.add(new ByteArrayInputStream(piece, 0, n));
            length += n;
            if (n < size) {
                break;
            }
        }
        return new BodyPieces(pieces, length);
    }

    long length() {
        return length;
    }

    /** Returns the bytes from the first one. Called once. */
    InputStream stream() {
        return new SequenceInputStream(Collections.enumeration(pieces));
    }
}
