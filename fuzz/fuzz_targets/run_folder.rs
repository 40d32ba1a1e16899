#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| adamflip_fuzz::run_folder(bytes));
