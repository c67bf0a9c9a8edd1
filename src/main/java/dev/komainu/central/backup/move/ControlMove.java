package dev.komainu.central.backup.move;

import dev.komainu.central.backup.ControlFile;
import dev.komainu.central.backup.H2Migrations;
import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.control.ControlRefusedException;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.util.FileSystemUtils;

/**
 * The move of the control data from the H2 file of a stopped service into a PostgreSQL database.
 *
 * <p>The rows are written to files first and loaded from them in one transaction. So a move that is
 * killed leaves the database without rows of it, or with all of them. The file stays locked from
 * the beginning to the end, and nothing is written to it. One thread.
 */
public final class ControlMove {

    /** Directory of the rows below the data directory, while the move runs. */
    static final String WORK = "move";

    private final Path data;
    private final ControlDataSettings target;
    private final Consumer<String> progress;

    /**
     * A table on both sides.
     *
     * @param here its sum in the H2 file
     * @param there its sum in PostgreSQL, read after the move
     */
    public record MovedTable(String name, TableSum here, TableSum there) {}

    /** The rows of an export as files, and their sums. */
    private record Rows(Path directory, Map<String, TableSum> sums) implements ControlData.Source {

        @Override
        public InputStream open(String table) throws IOException {
            return Files.newInputStream(directory.resolve(table));
        }
    }

    /**
     * Creates the move.
     *
     * @param data data directory of the service, which does not run
     * @param target a PostgreSQL database that is empty, or that this move has filled before
     * @param progress receives a line for each step
     */
    public ControlMove(Path data, ControlDataSettings target, Consumer<String> progress) {
        this.data = data;
        this.target = target;
        this.progress = progress;
    }

    /**
     * Moves the control data, and compares both sides. When they are equal already, it only
     * compares.
     *
     * @return every table, by name
     * @throws IOException naming what was wrong and expected; the source is then as it was
     */
    public List<MovedTable> run() throws IOException {
        Path work = data.resolve(WORK);
        DataSource here = ControlFile.readOnly(data);
        try (Connection lock = here.getConnection()) {
            FileSystemUtils.deleteRecursively(work); // of a move that was killed
            PrivateFiles.directory(work);
            checkMigrations(JdbcControlData.migrations(lock));
            DataSource there = schema();
            progress.accept("reading " + data.resolve(ControlFile.NAME));
            Rows rows = export(here, work);
            load(rows, there);
            progress.accept("comparing both sides");
            return compare(rows.sums(), sumsThere(there));
        } catch (SQLException e) {
            throw new IOException(ControlFile.faultOf(data, e), e);
        } finally {
            FileSystemUtils.deleteRecursively(work);
        }
    }

    private void checkMigrations(List<String> applied) throws IOException {
        Set<String> known = H2Migrations.all().keySet();
        Set<String> missing = new TreeSet<>(known);
        applied.forEach(missing::remove);
        Set<String> unknown = new TreeSet<>(applied);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IOException(data + ": the migrations " + unknown
                    + " are not known (expected: the version of Komainu that used it last)");
        }
        if (!missing.isEmpty()) {
            throw new IOException(data + ": the migrations " + missing
                    + " are missing (expected: data that this version has started with once)");
        }
    }

    /** Creates the tables in the database, unless they are there. */
    private DataSource schema() throws IOException {
        DataSource there = target.source();
        try {
            ControlSchema schema = new ControlSchema(target);
            schema.migrate(schema.flyway(there));
            return there;
        } catch (ControlRefusedException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Rows export(DataSource from, Path work) throws SQLException, IOException {
        Map<String, TableSum> sums = new TreeMap<>();
        var unused = new JdbcControlData(from).export(new ControlData.Sink() {
            @Override
            public OutputStream open(String table) throws IOException {
                return new BufferedOutputStream(Files.newOutputStream(work.resolve(table)));
            }

            @Override
            public void written(String table, TableSum sum) {
                sums.put(table, sum);
            }
        });
        return new Rows(work, sums);
    }

    private void load(Rows rows, DataSource there) throws IOException {
        if (sumsThere(there).equals(rows.sums())) {
            progress.accept("the database has these rows already");
            return;
        }
        try {
            if (isUsed(there)) {
                throw new IOException(target.url()
                        + ": the control data of another service, or of later changes, are in it"
                        + " (expected: an empty database)");
            }
            long count = rows.sums().values().stream().mapToLong(TableSum::rows).sum();
            progress.accept("writing " + count + " rows of " + rows.sums().size() + " tables");
            var unused = new JdbcControlData(there).load(rows.sums().keySet(), rows);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private Map<String, TableSum> sumsThere(DataSource there) throws IOException {
        try {
            return sums(there);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private IOException failed(SQLException e) {
        return new IOException(
                target.url() + ": the database " + ControlDataFailure.of(e).text() + ": "
                        + e.getMessage(),
                e);
    }

    /** Reports whether a service has used the database: each start makes an administrator. */
    private static boolean isUsed(DataSource there) throws SQLException {
        try (Connection connection = there.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from users")) {
            return row.next() && row.getLong(1) > 0;
        }
    }

    private static Map<String, TableSum> sums(DataSource of) throws SQLException, IOException {
        Map<String, TableSum> sums = new TreeMap<>();
        var unused = new JdbcControlData(of).export(new ControlData.Sink() {
            @Override
            public OutputStream open(String table) {
                return OutputStream.nullOutputStream();
            }

            @Override
            public void written(String table, TableSum sum) {
                sums.put(table, sum);
            }
        });
        return sums;
    }

    private List<MovedTable> compare(Map<String, TableSum> here, Map<String, TableSum> there)
            throws IOException {
        List<MovedTable> tables = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        here.forEach((name, sum) -> {
            TableSum other = there.get(name);
            if (other != null && sum.equals(other)) {
                tables.add(new MovedTable(name, sum, other));
            } else {
                differences.add(name + " (" + sum.rows() + " rows here, "
                        + (other == null ? "no table" : other.rows() + " rows") + " there)");
            }
        });
        if (!differences.isEmpty()) {
            throw new IOException(target.url() + ": other rows than here in " + differences
                    + " (expected: equal numbers and sums; drop the database and repeat)");
        }
        return tables;
    }
}
