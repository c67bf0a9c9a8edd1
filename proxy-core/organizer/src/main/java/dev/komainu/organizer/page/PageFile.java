package dev.komainu.organizer.page;

import dev.komainu.organizer.page.LearntPage.LearntPart;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in which the pages of a {@link PageLearner} survive a restart. Numbers are big-endian,
 * texts are in the form of {@link DataOutputStream#writeUTF}; see
 * {@code docs/formats/page-file.md}:
 *
 * <pre>
 * "KPAGES" 0 1 | pages: int | { url | loads: byte | objects: byte | { url | bytes: int | loads: byte | followed: byte }… }… | CRC32C: int
 * </pre>
 *
 * <p>The file is a cache: an unreadable file is ignored and its content learnt again. Thread-safe.
 */
public final class PageFile {

    private static final Logger LOG = LoggerFactory.getLogger(PageFile.class);

    private static final byte[] MAGIC = {'K', 'P', 'A', 'G', 'E', 'S', 0, 1};
    /**
     * A learner has 8 MB of estimated heap. The estimate counts more bytes for each text than the
     * file has.
     */
    private static final int MAX_BYTES = 16 << 20;

    private static final int CRC_BYTES = 4;

    private final Path file;
    private final PageCounts counts;
    // Guarded by this.
    private long writtenVersion;
    private boolean warned;

    public PageFile(Path file, PageCounts counts) {
        this.file = file;
        this.counts = counts;
    }

    /** Adds the content of the file to a learner. */
    public synchronized void read(PageLearner learner) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] all = in.readNBytes(MAX_BYTES + 1);
            if (all.length > MAX_BYTES) {
                throw new IOException("longer than " + MAX_BYTES + " bytes");
            }
            learner.restore(pages(all));
            writtenVersion = learner.version();
        } catch (NoSuchFileException e) {
            LOG.debug("No page file: {}", e.getMessage());
        } catch (IOException | IllegalArgumentException e) {
            counts.count(PageCounts.Kind.FILE_DAMAGED);
            LOG.warn("Page file {} cannot be read and is ignored: {}", file, e.getMessage());
        }
    }

    private static List<LearntPage> pages(byte[] all) throws IOException {
        int end = all.length - CRC_BYTES;
        if (end < MAGIC.length) {
            throw new IOException("only " + all.length + " bytes");
        }
        if (ByteBuffer.wrap(all).getInt(end) != crc(all, end)) {
            throw new IOException("checksum mismatch");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(all, 0, end));
        for (byte expected : MAGIC) {
            if (in.readByte() != expected) {
                throw new IOException("wrong file type or version");
            }
        }
        List<LearntPage> pages = new ArrayList<>();
        for (int pagesLeft = in.readInt(); pagesLeft > 0; pagesLeft--) {
            String url = in.readUTF();
            int loads = in.readUnsignedByte();
            List<LearntPart> parts = new ArrayList<>();
            for (int partsLeft = in.readUnsignedByte(); partsLeft > 0; partsLeft--) {
                parts.add(new LearntPart(
                        in.readUTF(), in.readInt(), in.readUnsignedByte(), in.readUnsignedByte()));
            }
            pages.add(new LearntPage(url, loads, parts));
        }
        return pages;
    }

    private static int crc(byte[] all, int length) {
        CRC32C crc = new CRC32C();
        crc.update(all, 0, length);
        return (int) crc.getValue();
    }

    /**
     * Writes the pages of a learner when they have changed. The old file is replaced only after the
     * new one is complete.
     */
    public synchronized void write(PageLearner learner) {
        long version = learner.version();
        if (version == writtenVersion) {
            return;
        }
        try {
            PrivateFiles.parentOf(file);
            // URLs may contain personal data.
            PrivateFiles.replace(file, bytes(learner.learnt()));
            writtenVersion = version;
            warned = false;
        } catch (ClosedByInterruptException e) {
            LOG.debug("Closing: the page file is written once more");
        } catch (IOException e) {
            counts.count(PageCounts.Kind.FILE_UNWRITTEN);
            if (!warned) {
                warned = true;
                LOG.warn(
                        "Page file {} cannot be written ({}): the learnt pages will be lost at the next restart",
                        file,
                        e.toString());
            }
        }
    }

    private static byte[] bytes(List<LearntPage> pages) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(whole);
        out.write(MAGIC);
        out.writeInt(pages.size());
        for (LearntPage page : pages) {
            out.writeUTF(page.url());
            out.writeByte(page.loads());
            out.writeByte(page.parts().size());
            for (LearntPart part : page.parts()) {
                out.writeUTF(part.url());
                out.writeInt(part.bytes());
                out.writeByte(part.loads());
                out.writeByte(part.followed());
            }
        }
        byte[] all = whole.toByteArray();
        out.writeInt(crc(all, all.length));
        return whole.toByteArray();
    }
}
