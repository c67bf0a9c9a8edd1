package dev.komainu.central.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the settings side by side. */
class SettingsTableTest {

    private static ServiceProfile member(String id, String... settings) {
        List<Setting> all = new ArrayList<>();
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            all.add(new Setting(parts[0], parts[1], "nginx.conf:1"));
        }
        return new ServiceProfile(
                id, null, id, "nginx", null, List.of(), null, null, all, Set.of(), 1, 1);
    }

    @Test
    void of_threeMembers_oddThenDifferentThenEqual() {
        List<SettingsTable.Row> rows = SettingsTable.of(List.of(
                member("a", "alike=1", "many=1", "workers=4", "pool:process=11"),
                member("b", "alike=1", "many=2", "workers=4", "pool:process=12"),
                member("c", "alike=1", "many=3", "workers=1", "pool:process=13")));

        assertThat(rows)
                .extracting(SettingsTable.Row::name)
                .containsExactly("workers", "many", "alike");
        assertThat(rows.get(0).odd()).isEqualTo("c");
        assertThat(rows.get(1).differs()).isTrue();
        assertThat(rows.get(1).odd()).isNull();
        assertThat(rows.get(2).differs()).isFalse();
    }

    @Test
    void of_aSettingThatOneMemberHasNot_isOdd() {
        List<SettingsTable.Row> rows = SettingsTable.of(
                List.of(member("a", "gzip=on"), member("b"), member("c", "gzip=on")));

        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.odd()).isEqualTo("b");
            assertThat(row.values()).containsEntry("b", null);
        });
    }

    @Test
    void of_twoMembers_noneIsOdd() {
        List<SettingsTable.Row> rows =
                SettingsTable.of(List.of(member("a", "gzip=on"), member("b", "gzip=off")));

        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.differs()).isTrue();
            assertThat(row.odd()).isNull();
        });
    }
}
