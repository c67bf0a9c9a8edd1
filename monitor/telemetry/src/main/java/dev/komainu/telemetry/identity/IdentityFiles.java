package dev.komainu.telemetry.identity;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of an identity, in {@code DATA/identity}, all of mode 600:
 *
 * <pre>
 * part.pem         the private key, the part's certificate and those that lead to its authority
 * authorities.pem  the authorities by which the central service is trusted
 * facts.json       address of the central service, names, networks, times
 * enrolment.pem    the key of an enrolment from before its request until the identity is written
 * revoked.txt      ids of parts that have lost their identity, one a line, the oldest first
 * lock             held by the process that uses the identity
 * </pre>
 *
 * <p>Each file is replaced in one step, {@code part.pem} last: there is an identity as soon as this
 * file exists. An interruption of a renewal leaves the old key and certificate with the new
 * authorities, which contain the old ones as long as certificates of these are in use.
 */
final class IdentityFiles {

    private static final Logger LOG = LoggerFactory.getLogger(IdentityFiles.class);

    private static final String PART = "part.pem";
    private static final String AUTHORITIES = "authorities.pem";
    private static final String FACTS = "facts.json";
    private static final String BEGUN = "enrolment.pem";
    private static final String REVOKED = "revoked.txt";

    private final Path directory;
    private final Replacement replacement;

    /** A step that replaces the content of a file. */
    @FunctionalInterface
    interface Replacement {
        void replace(Path file, byte[] content) throws IOException;
    }

    /**
     * Names the files.
     *
     * @param data the part's own directory
     */
    IdentityFiles(Path data) {
        this(data, PrivateFiles::replace);
    }

    IdentityFiles(Path data, Replacement replacement) {
        this.directory = data.resolve("identity");
        this.replacement = replacement;
    }

    Path directory() {
        return directory;
    }

    /** Reports whether there is an identity, whole or damaged. */
    boolean exists() {
        return Files.exists(directory.resolve(PART));
    }

    /**
     * Reads the facts.
     *
     * @throws IOException naming the file, what is wrong and what to do
     */
    IdentityFacts facts() throws IOException {
        try {
            return IdentityFacts.parse(new String(
                    PemText.text(directory.resolve(FACTS)).getBytes(StandardCharsets.ISO_8859_1),
                    StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw damaged(FACTS, e);
        }
    }

    /**
     * Reads the identity.
     *
     * @throws IOException naming the file, what is wrong and what to do
     */
    Identity read() throws IOException {
        IdentityFacts facts = facts();
        List<X509Certificate> authorities;
        try {
            authorities = PemText.certificates(PemText.text(directory.resolve(AUTHORITIES)));
        } catch (IOException e) {
            throw damaged(AUTHORITIES, e);
        }
        try {
            String text = PemText.text(directory.resolve(PART));
            PrivateKey key = PemText.key(text);
            List<X509Certificate> chain = PemText.certificates(text);
            if (!new PartKey(key, chain.getFirst().getPublicKey()).isConsistent()) {
                throw new IOException("the key is not that of the certificate");
            }
            return new Identity(facts, key, chain, authorities);
        } catch (IOException e) {
            throw damaged(PART, e);
        }
    }

    private IOException damaged(String file, IOException e) {
        return new IOException(
                directory.resolve(file) + ": " + e.getMessage()
                        + " (expected: the file as this part wrote it; to enrol again, remove "
                        + directory + " and start with a new code)",
                e);
    }

    /**
     * Returns the key for an enrolment with a code: the one with which it was begun before, or a
     * new one, which is then on the disk.
     *
     * @throws IOException when a new key cannot be written
     */
    PartKey keyFor(EnrolmentCode code) throws IOException {
        Path file = directory.resolve(BEGUN);
        if (Files.exists(file)) {
            try {
                BegunEnrolment begun = BegunEnrolment.parse(PemText.text(file));
                if (begun.isOf(code)) {
                    LOG.info("The enrolment with the code {} is continued with the same key", code);
                    return begun.key();
                }
            } catch (IOException e) {
                LOG.warn("{}: {}; the part enrols with a new key", file, e.getMessage());
            }
        }
        BegunEnrolment fresh = BegunEnrolment.with(code);
        try {
            replace(BEGUN, fresh.text());
        } catch (IOException e) {
            throw new IOException(
                    file + " cannot be written, so the code was not used: " + e.getMessage(), e);
        }
        return fresh.key();
    }

    /** Writes a new identity in place of one that is of no use any more, or of none. */
    void writeFirst(Identity identity) throws IOException {
        // Parts of two identities must not be read as one.
        PrivateFiles.directory(directory);
        Files.deleteIfExists(directory.resolve(PART));
        write(identity);
        try {
            Files.deleteIfExists(directory.resolve(BEGUN));
        } catch (IOException e) {
            LOG.warn("{} is not needed any more: {}", directory.resolve(BEGUN), e.toString());
        }
    }

    /** Writes a renewed identity. */
    void write(Identity identity) throws IOException {
        PrivateFiles.directory(directory);
        replace(AUTHORITIES, PemText.of(identity.authorities()));
        replace(FACTS, identity.facts().text());
        replace(PART, PemText.of(identity.key()) + PemText.of(identity.chain()));
    }

    /**
     * Reads the ids of revoked parts; none when there is no file.
     *
     * @throws IOException naming the file, what is wrong and what to do
     */
    List<String> revoked() throws IOException {
        Path file = directory.resolve(REVOKED);
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return PemText.text(file).lines().filter(line -> !line.isBlank()).toList();
        } catch (IOException e) {
            throw damaged(REVOKED, e);
        }
    }

    /** Writes the ids of revoked parts. */
    void writeRevoked(Collection<String> parts) throws IOException {
        replace(REVOKED, String.join("\n", parts) + "\n");
    }

    private void replace(String file, String text) throws IOException {
        replacement.replace(directory.resolve(file), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Locks the identity for this process: two processes with one identity would supersede each
     * other's certificates.
     *
     * @throws IOException when another process has the lock
     */
    FileChannel lock() throws IOException {
        PrivateFiles.directory(directory, "*.pem", "*.json", "*.txt", "lock");
        return PrivateFiles.lock(
                directory,
                directory + " is in use by another process (expected: one data directory for each"
                        + " agent, proxy or organizer)");
    }
}
