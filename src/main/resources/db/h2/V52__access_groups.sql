-- The group of services that a user or a token may change, as a label selector; null: all.
alter table users add column service_group varchar(700);
alter table tokens add column service_group varchar(700);
