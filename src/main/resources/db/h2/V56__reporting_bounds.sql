-- The names in which a token may report: its source, the host's name, and blocks of addresses divided by spaces; source null: all.
alter table tokens add column source varchar(1024);
alter table tokens add column node varchar(255);
alter table tokens add column networks varchar(2000);
