package dev.komainu.central.alert;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The alert rules, editable by users. The initial rules come with the database schema. Any thread.
 */
@Component
public class AlertRules {

    private final VersionedTable<AlertRule> table;

    public AlertRules(JdbcClient jdbc) {
        this.table = new VersionedTable<>(jdbc, "alert_rule", AlertRule.class);
    }

    public List<Versioned<AlertRule>> all() {
        return table.all();
    }

    public Optional<Versioned<AlertRule>> find(String id) {
        return table.find(id);
    }

    public VersionedTable.Created<AlertRule> create(
            AlertRule rule, String by, @Nullable String key) {
        return table.create(rule, rule, by, key);
    }

    /**
     * Replaces a rule. Returns empty when its version is no longer {@code version} or the rule does
     * not exist.
     */
    public Optional<Versioned<AlertRule>> replace(String id, long version, AlertRule rule) {
        return table.replace(id, version, rule);
    }

    public Optional<Versioned<AlertRule>> delete(String id) {
        return table.delete(id);
    }
}
