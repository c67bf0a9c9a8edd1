package dev.komainu.central.audit;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

/** A database with the audit log's tables. */
public final class AuditDatabase implements AutoCloseable {

    public final JdbcClient jdbc;
    public final DataSourceTransactionManager transactions;
    private final DataSource pool;

    /** Creates a database in memory. */
    public AuditDatabase() {
        this(ControlEngine.H2);
    }

    /** Creates a database: H2 with the tables of an earlier version, or PostgreSQL with all. */
    public AuditDatabase(ControlEngine engine) {
        this(
                engine == ControlEngine.H2
                        ? h2("jdbc:h2:mem:audit-" + UUID.randomUUID())
                        : engine.fresh());
        if (isH2()) {
            run("V1__access.sql");
        }
    }

    /** Creates a database of H2 with the tables of an earlier version. */
    public AuditDatabase(String url) {
        this(h2(url));
        run("V1__access.sql");
    }

    /** Opens a database that an instance of this class made and closed. */
    public static AuditDatabase existing(String url) {
        return new AuditDatabase(h2(url));
    }

    private AuditDatabase(DataSource pool) {
        this.pool = pool;
        jdbc = JdbcClient.create(pool);
        transactions = new DataSourceTransactionManager(pool);
    }

    private static JdbcConnectionPool h2(String url) {
        JdbcConnectionPool pool =
                JdbcConnectionPool.create(url + ";DB_CLOSE_DELAY=-1", "komainu", "");
        pool.setMaxConnections(4);
        return pool;
    }

    private boolean isH2() {
        return pool instanceof JdbcConnectionPool;
    }

    private void run(String script) {
        new ResourceDatabasePopulator(new ClassPathResource("db/h2/" + script)).execute(pool);
    }

    /** Adds the columns and tables of the chain, as the migration does. */
    public AuditDatabase migrated() {
        if (isH2()) {
            run("V41__audit_chain.sql");
        }
        return this;
    }

    public AuditLog log(AuditSettings settings, Clock clock) {
        return new AuditLog(jdbc, transactions, settings, clock);
    }

    public TransactionTemplate transaction() {
        return new TransactionTemplate(transactions);
    }

    /** Returns settings with these limits; the rest are defaults. */
    public static AuditSettings settings(int most, int refusedADay, Path headFile) {
        AuditSettings usual = AuditSettings.read(SettingReader.ofDefaults(), Path.of("unused"));
        return new AuditSettings(
                most,
                refusedADay,
                headFile,
                usual.headEvery(),
                usual.headEntries(),
                usual.checkEvery(),
                usual.backlog(),
                null,
                null,
                null,
                null);
    }

    public static AuditDraft draft(String actor, String action) {
        return new AuditDraft(
                actor, action, "subject", "done", 1, "192.0.2.7", "browser", null, "after");
    }

    @Override
    public void close() {
        if (pool instanceof JdbcConnectionPool h2) {
            try (Connection last = h2.getConnection();
                    Statement statement = last.createStatement()) {
                statement.execute("shutdown");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } finally {
                h2.dispose();
            }
        }
    }
}
