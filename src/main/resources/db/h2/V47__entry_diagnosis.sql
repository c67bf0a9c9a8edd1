-- Diagnoses kept by themselves at an entry into a bad state: entered is the instant of the entry, null in runs that a person kept.
alter table kept_diagnosis add column entered timestamp(6) with time zone;
alter table kept_diagnosis add column size bigint default 0 not null;
create index kept_diagnosis_by_entry on kept_diagnosis (service, entered);
