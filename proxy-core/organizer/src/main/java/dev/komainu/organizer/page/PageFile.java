package dev.komainu.organizer.page;

import dev.komainu.organizer.page.LearntPage.LearntPart;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link PageLearner} knows, on disk, so that a restart begins with it. Numbers are
 * big-endian, texts as {@link DataOutputStream#writeUTF} has them; see
 * {@code docs/formats/page-file.md}:
 *
 * <pre>
 *   "KPAGES" 0 1 | pages: int | { url | loads: byte | objects: byte | { url | bytes: int | loads: byte | followed: byte }… }… | CRC32C: int
 * </pre>
 *
 * <p>Nothing of it is needed: what cannot be read is left, and learnt again. Safe for threads.
 */
public final class PageFile {

    private static final Logger LOG = LoggerFactory.getLogger(PageFile.class);

    private static final byte[] MAGIC = {'K', 'P', 'A', 'G', 'E', 'S', 0, 1};
    /** A book has 8 MB of estimated heap, which counts more for each text than is written here. */
    private static final int MOST_BYTES = 16 << 20;

    private static final int CRC_BYTES = 4;

    private final Path file;
    private final PageCounts counts;
    // Guarded by this.
    private long writtenVersion;
    private boolean saidUnwritten;

    public PageFile(Path file, PageCounts counts) {
        this.file = file;
        this.counts = counts;
    }

    /** Has a book know what stands here, beside what it knows. */
    public synchronized void read(PageLearner book) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] all = in.readNBytes(MOST_BYTES + 1);
            if (all.length > MOST_BYTES) {
                throw new IOException("longer than " + MOST_BYTES + " bytes");
            }
            book.recall(pages(all));
            writtenVersion = book.version();
        } catch (NoSuchFileException e) {
            LOG.debug("Nothing was learnt of pages before: {}", e.getMessage());
        } catch (IOException | IllegalArgumentException e) {
            counts.count(PageCounts.Kind.FILE_DAMAGED);
            LOG.warn(
                    "What was learnt of pages is not known any more: {}: {}", file, e.getMessage());
        }
    }

    private static List<LearntPage> pages(byte[] all) throws IOException {
        int end = all.length - CRC_BYTES;
        if (end < MAGIC.length) {
            throw new IOException("only " + all.length + " bytes");
        }
        if (ByteBuffer.wrap(all).getInt(end) != crc(all, end)) {
            throw new IOException("its checksum is another's");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(all, 0, end));
        for (byte expected : MAGIC) {
            if (in.readByte() != expected) {
                throw new IOException("of another kind or version");
            }
        }
        List<LearntPage> pages = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String url = in.readUTF();
            int loads = in.readUnsignedByte();
            List<LearntPart> parts = new ArrayList<>();
            for (int more = in.readUnsignedByte(); more > 0; more--) {
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
     * Writes what a book knows, when that is something else than before: the former file is there
     * until the new one is whole.
     */
    public synchronized void write(PageLearner book) {
        long version = book.version();
        if (version == writtenVersion) {
            return;
        }
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            Path fresh = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(fresh);
            // URLs may tell of visitors.
            try (FileChannel out = FileChannel.open(
                    fresh,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")))) {
                ByteBuffer bytes = ByteBuffer.wrap(bytes(book.learnt()));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
            writtenVersion = version;
            saidUnwritten = false;
        } catch (ClosedByInterruptException e) {
            LOG.debug("Closing: it is written once more");
        } catch (IOException e) {
            counts.count(PageCounts.Kind.FILE_UNWRITTEN);
            if (!saidUnwritten) {
                saidUnwritten = true;
                LOG.warn(
                        "What is learnt of pages will not outlive this process: {} cannot be written ({})",
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
