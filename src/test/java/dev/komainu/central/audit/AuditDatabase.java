package dev.komainu.central.audit;

import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Clock;
import java.util.UUID;
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
    private final JdbcConnectionPool pool;

    public AuditDatabase() {
        this("jdbc:h2:mem:audit-" + UUID.randomUUID());
    }

    public AuditDatabase(String url) {
        this(JdbcConnectionPool.create(url + ";DB_CLOSE_DELAY=-1", "komainu", ""));
        run("V1__access.sql");
    }

    /** Opens a database that an instance of this class made and closed. */
    public static AuditDatabase existing(String url) {
        return new AuditDatabase(
                JdbcConnectionPool.create(url + ";DB_CLOSE_DELAY=-1", "komainu", ""));
    }

    private AuditDatabase(JdbcConnectionPool pool) {
        this.pool = pool;
        pool.setMaxConnections(4);
        jdbc = JdbcClient.create(pool);
        transactions = new DataSourceTransactionManager(pool);
    }

    private void run(String script) {
        new ResourceDatabasePopulator(new ClassPathResource("db/migration/" + script))
                .execute(pool);
    }

    /** Adds the columns and tables of the chain, as the migration does. */
    public AuditDatabase migrated() {
        run("V41__audit_chain.sql");
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
        try (java.sql.Connection last = pool.getConnection();
                java.sql.Statement statement = last.createStatement()) {
            statement.execute("shutdown");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            pool.dispose();
        }
    }
}
