package dev.komainu.central.audit.command;

import dev.komainu.central.audit.AuditExport;
import dev.komainu.central.audit.AuditHead;
import dev.komainu.central.audit.AuditRows;
import dev.komainu.central.audit.ChainReport;
import dev.komainu.central.audit.HeadFile;
import dev.komainu.central.audit.SignedHead;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The command {@code ./komainu audit verify}.
 *
 * <pre>
 *  exit code  meaning
 *  0          the log is complete, and every given head names one of its rows
 *  1          it is not; the first fault is printed
 *  2          wrong usage
 *  3          nothing was checked: no service, no database, no export
 * </pre>
 *
 * <p>A running service is not trusted to check itself: its export is downloaded and checked here.
 */
public final class AuditCommand {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> environment;

    AuditCommand(PrintStream out, PrintStream err, Map<String, String> environment) {
        this.out = out;
        this.err = err;
        this.environment = environment;
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        int code = new AuditCommand(out, err, System.getenv()).run(arguments);
        out.flush();
        System.exit(code);
    }

    /** Nothing could be checked. */
    private static final class NothingCheckedException extends Exception {
        private static final long serialVersionUID = 1;

        NothingCheckedException(String message) {
            super(message);
        }
    }

    int run(String... arguments) {
        try {
            VerifyOptions options = VerifyOptions.of(arguments, environment);
            if (options.help()) {
                out.print(VerifyOptions.HELP);
                return 0;
            }
            return run(options);
        } catch (VerifyOptions.MisuseException e) {
            err.println("audit: " + e.getMessage());
            return 2;
        } catch (NothingCheckedException e) {
            err.println("audit: " + e.getMessage());
            return 3;
        }
    }

    private int run(VerifyOptions options) throws NothingCheckedException {
        List<AuditHead> heads = new ArrayList<>(options.heads());
        int forged = addFromFile(options, heads);
        ChainReport report = check(options, heads);
        out.println("rows #" + report.first() + " to #" + report.head().sequence() + ": "
                + report.rows());
        out.println("heads: " + heads.size() + " known, " + report.headsCompared() + " compared"
                + (report.newestCompared() == null
                        ? ""
                        : ", newest #" + report.newestCompared().sequence()));
        if (heads.isEmpty()) {
            out.println(
                    "Without a head from outside, a cut or a replaced end is not found (--head, --head-file)");
        }
        if (report.fault() != null) {
            out.println("NOT COMPLETE: " + report.fault());
            return 1;
        }
        if (forged > 0) {
            out.println("NOT COMPLETE: " + forged + " heads of the file are not signed by --key");
            return 1;
        }
        out.println("complete: " + report.head());
        return 0;
    }

    /** Adds the file's heads. Returns the number of those that the key did not sign. */
    private int addFromFile(VerifyOptions options, List<AuditHead> heads)
            throws NothingCheckedException {
        Path file = options.headFile();
        if (file == null) {
            file = options.data().resolve("audit-head.log");
            if (options.file() != null || !Files.exists(file)) {
                return 0;
            }
        }
        if (!Files.isReadable(file)) {
            throw new NothingCheckedException(file + ": not read (expected: a readable file)");
        }
        try {
            HeadFile.Heads read = new HeadFile(file).read();
            if (read.unreadable() > 0) {
                err.println(file + ": " + read.unreadable() + " lines that are no head");
            }
            int forged = 0;
            for (SignedHead each : read.heads()) {
                if (options.key() == null || each.isSignedBy(options.key())) {
                    heads.add(each.head());
                } else {
                    forged++;
                }
            }
            return forged;
        } catch (IOException e) {
            throw new NothingCheckedException(file + ": " + e);
        }
    }

    private ChainReport check(VerifyOptions options, List<AuditHead> heads)
            throws NothingCheckedException {
        Path export = options.file();
        if (export != null) {
            return checkExport(export, heads);
        }
        String refusal = "no token";
        if (options.token() != null) {
            Path downloaded = null;
            try {
                downloaded = Files.createTempFile("komainu-audit-", ".ndjson"); // mode 600
                refusal = download(options, options.token(), downloaded);
                if (refusal.isEmpty()) {
                    out.println("export of " + options.central());
                    return checkExport(downloaded, heads);
                }
            } catch (IOException e) {
                refusal = options.central() + ": not reached (" + e + ")";
            } finally {
                delete(downloaded);
            }
        }
        return checkDatabase(options.data(), heads, refusal);
    }

    private static ChainReport checkExport(Path file, List<AuditHead> heads)
            throws NothingCheckedException {
        try {
            return AuditExport.check(file, heads);
        } catch (IOException e) {
            throw new NothingCheckedException(file + ": not read (" + e + ")");
        } catch (AuditExport.MalformedExportException e) {
            throw new NothingCheckedException(String.valueOf(e.getMessage()));
        }
    }

    /** Downloads all rows. Returns the reason why not; empty when it did. */
    private static String download(VerifyOptions options, String token, Path to)
            throws IOException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(options.central() + "/api/v1/audit"))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/x-ndjson")
                .build();
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build()) {
            HttpResponse<InputStream> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                if (answer.statusCode() != 200) {
                    return options.central() + ": " + answer.statusCode()
                            + (answer.statusCode() == 401 || answer.statusCode() == 403
                                    ? " (expected: a token with the scope admin)"
                                    : "");
                }
                Files.copy(body, to, StandardCopyOption.REPLACE_EXISTING);
                return "";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private ChainReport checkDatabase(Path data, List<AuditHead> heads, String refusal)
            throws NothingCheckedException {
        Path file = data.toAbsolutePath().normalize().resolve("control.mv.db");
        if (!Files.isRegularFile(file)) {
            throw new NothingCheckedException(
                    refusal + "; " + file + ": not there (expected: --file, --central or --data)");
        }
        String path = file.toString().replaceFirst("\\.mv\\.db$", "");
        DriverManagerDataSource source = new DriverManagerDataSource(
                "jdbc:h2:file:" + path + ";IFEXISTS=TRUE;ACCESS_MODE_DATA=r", "komainu", "");
        try {
            AuditRows rows = new AuditRows(JdbcClient.create(source));
            ChainReport report = rows.check(heads);
            out.println("database " + file);
            return report;
        } catch (DataAccessException e) {
            Throwable cause = e.getMostSpecificCause();
            String line = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
            throw new NothingCheckedException(refusal + "; " + file + ": " + line
                    + " (a running service locks its database: give --token-file)");
        }
    }

    private static void delete(@Nullable Path file) {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                // a file of mode 600 in the temporary directory
            }
        }
    }
}
