//! A device: opening it, compiling kernels, binding buffers, submitting commands that are plain data.

use super::program::Source;
use crate::{Fault, Precision};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Threads of a group, as written in every kernel.
pub const GROUP: u32 = 64;

/// Bytes of the largest struct of a kernel.
const LARGEST_ITEM: u64 = 2048;

/// A device before it is opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    inner: wgpu::Adapter,
}

/// Returns all adapters, in the system's order.
pub fn adapters() -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // Validation layers are for developers of kernels; they would have to be installed.
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    found.into_iter().map(|inner| Adapter { inner }).collect()
}

impl Adapter {
    /// Name, driver and interface.
    pub fn describe(&self) -> String {
        let info = self.inner.get_info();
        let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
        format!("{} ({}, {:?}, {:?})", info.name, driver.trim(), info.backend, info.device_type)
    }

    /// Name, driver, interface and kind, each with its value.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let info = self.inner.get_info();
        vec![
            ("name", info.name),
            ("driver", info.driver),
            ("driver_version", info.driver_info),
            ("interface", format!("{:?}", info.backend)),
            ("kind", format!("{:?}", info.device_type)),
        ]
    }

    /// Whether the device is a program, not a chip: good for tests, never faster.
    pub fn is_software(&self) -> bool {
        self.inner.get_info().device_type == wgpu::DeviceType::Cpu
    }

    /// Names of the features beyond the least of the interface.
    pub fn features(&self) -> Vec<&'static str> {
        self.inner.features().iter_names().map(|(name, _)| name).collect()
    }

    /// Limits that matter for kernels, with their names.
    pub fn limits(&self) -> Vec<(&'static str, u64)> {
        let limits = self.inner.limits();
        vec![
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
            ("max_buffer_size", limits.max_buffer_size),
            ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension.into()),
            ("max_storage_buffers_per_shader_stage", limits.max_storage_buffers_per_shader_stage.into()),
        ]
    }

    /// Opens the device.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(&self) -> Result<Device, Fault> {
        let theirs = self.inner.limits();
        let required_limits = wgpu::Limits {
            max_storage_buffer_binding_size: theirs.max_storage_buffer_binding_size,
            max_buffer_size: theirs.max_buffer_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("signorini"),
            required_features: self.inner.features() & wgpu::Features::SHADER_F64,
            required_limits,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(self.inner.request_device(&descriptor))
            .map_err(|e| Fault::Lost(e.to_string()))?;
        let errors = Arc::new(Mutex::new(None));
        let (first, second) = (Arc::clone(&errors), Arc::clone(&errors));
        device.on_uncaptured_error(Arc::new(move |error| note(&first, error.to_string())));
        device.set_device_lost_callback(move |reason, message| {
            note(&second, format!("device lost ({reason:?}): {message}"));
        });
        let (name, facts, software) = (self.describe(), self.facts(), self.is_software());
        Ok(Device { name, facts, software, device, queue, errors, traffic: Default::default() })
    }
}

/// Keeps the first error: later ones follow from it.
fn note(errors: &Mutex<Option<String>>, message: String) {
    let mut errors = errors.lock().unwrap_or_else(|e| e.into_inner());
    errors.get_or_insert(message);
}

/// An open device.
#[derive(Debug)]
pub struct Device {
    name: String,
    facts: Vec<(&'static str, String)>,
    software: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    errors: Arc<Mutex<Option<String>>>,
    traffic: [AtomicU64; 4],
}

/// Work of a device so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Number of submissions.
    pub submissions: u64,
    /// Number of dispatches.
    pub dispatches: u64,
    /// Bytes that were written to buffers.
    pub written: u64,
    /// Bytes that were read back.
    pub read: u64,
}

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    name: String,
    pipeline: wgpu::ComputePipeline,
}

/// A kernel with its buffers and its number of items: a command that can be submitted any number of times.
#[derive(Debug, Clone)]
pub struct Bound {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    size: (u32, u32),
}

/// Memory of the device.
#[derive(Debug, Clone)]
pub struct Buffer {
    inner: wgpu::Buffer,
    /// Size in bytes.
    pub size: u64,
}

impl Device {
    /// Opens the adapter that suits best: a chip before a program, then the system's order.
    ///
    /// # Errors
    /// When no adapter exists or none opens.
    pub fn best() -> Result<Self, Fault> {
        let mut found = adapters();
        found.sort_by_key(Adapter::is_software);
        let mut last = Fault::Missing("the system names no graphics adapter".to_owned());
        for adapter in found {
            match adapter.open() {
                Ok(device) => return Ok(device),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    /// Name, driver and interface.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Facts of the device, see [`Adapter::facts`].
    pub fn facts(&self) -> &[(&'static str, String)] {
        &self.facts
    }

    /// Whether the device is a program, not a chip.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Whether kernels of this precision can be compiled.
    pub fn supports(&self, precision: Precision) -> bool {
        precision == Precision::F32 || self.device.features().contains(wgpu::Features::SHADER_F64)
    }

    /// Bytes of the largest array that a kernel can see.
    pub fn largest_binding(&self) -> u64 {
        self.device.limits().max_storage_buffer_binding_size
    }

    /// Returns the work done so far.
    pub fn traffic(&self) -> Traffic {
        let [submissions, dispatches, written, read] =
            self.traffic.each_ref().map(|count| count.load(Ordering::Relaxed));
        Traffic { submissions, dispatches, written, read }
    }

    fn count(&self, by: [u64; 4]) {
        for (count, by) in self.traffic.iter().zip(by) {
            count.fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Ends the device as if it had been taken away, for tests of the consequences.
    pub fn destroy(&self) {
        note(&self.errors, "destroyed".to_owned());
        self.device.destroy();
    }

    /// Fails if the device has reported an error.
    fn check(&self) -> Result<(), Fault> {
        let errors = self.errors.lock().unwrap_or_else(|e| e.into_inner());
        errors.as_ref().map_or(Ok(()), |message| Err(Fault::Lost(message.clone())))
    }

    /// Compiles the entry point of a kernel that is named like it.
    ///
    /// # Errors
    /// When the kernel does not compile, with the message of the compiler.
    pub fn compile(&self, source: &Source) -> Result<Kernel, Fault> {
        self.compile_entry(source, &source.name)
    }

    /// Compiles one entry point of a kernel.
    ///
    /// # Errors
    /// When the kernel does not compile, with the message of the compiler.
    pub fn compile_entry(&self, source: &Source, entry: &str) -> Result<Kernel, Fault> {
        self.check()?;
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&source.name),
            source: wgpu::ShaderSource::Wgsl(source.text.as_str().into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Every kernel writes all memory that it reads.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(Fault::Kernel { kernel: source.name.clone(), message: error.to_string() }),
            None => Ok(Kernel { name: entry.to_owned(), pipeline }),
        }
    }

    /// Allocates `bytes` bytes, not initialised.
    ///
    /// # Errors
    /// When a kernel could not see the buffer whole.
    pub fn buffer(&self, what: &str, bytes: u64) -> Result<Buffer, Fault> {
        self.check()?;
        // An array without items is bound all the same, as if it had one.
        let size = bytes.max(LARGEST_ITEM).next_multiple_of(16);
        let allowed = self.largest_binding();
        if size > allowed {
            let limit = "max_storage_buffer_binding_size";
            return Err(Fault::TooLarge { what: what.to_owned(), bytes: size, limit, allowed });
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let inner = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size,
            usage,
            mapped_at_creation: false,
        });
        Ok(Buffer { inner, size })
    }

    /// Writes from the beginning of a buffer, with the next submission.
    pub fn write<T: bytemuck::NoUninit>(&self, buffer: &Buffer, data: &[T]) {
        if !data.is_empty() {
            self.queue.write_buffer(&buffer.inner, 0, bytemuck::cast_slice(data));
            self.count([0, 0, size_of_val(data) as u64, 0]);
        }
    }

    /// Makes a buffer that holds `data`.
    ///
    /// # Errors
    /// Same as for [`Self::buffer`].
    pub fn upload<T: bytemuck::NoUninit>(&self, what: &str, data: &[T]) -> Result<Buffer, Fault> {
        let buffer = self.buffer(what, size_of_val(data) as u64)?;
        self.write(&buffer, data);
        Ok(buffer)
    }

    /// Binds buffers, in order from binding 1, for `n` items.
    ///
    /// # Errors
    /// When the buffers do not fit the kernel, or the items do not fit two dimensions of groups.
    pub fn bind(
        &self,
        kernel: &Kernel,
        n: usize,
        words: [u32; 2],
        buffers: &[&Buffer],
    ) -> Result<Bound, Fault> {
        self.check()?;
        let most = self.device.limits().max_compute_workgroups_per_dimension;
        let groups = (n as u64).div_ceil(GROUP.into());
        let columns = groups.clamp(1, most.into()) as u32;
        let rows = groups.div_ceil(columns.into());
        if rows > most.into() || n > u32::MAX as usize {
            let limit = "max_compute_workgroups_per_dimension, squared";
            let what = format!("kernel {}: {n} items", kernel.name);
            let allowed = u64::from(most) * u64::from(most);
            return Err(Fault::TooLarge { what, bytes: groups, limit, allowed });
        }
        let grid = [n as u32, columns * GROUP, words[0], words[1]];
        let uniform = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("grid"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&uniform, 0, bytemuck::cast_slice(&grid));
        let all = std::iter::once(&uniform).chain(buffers.iter().map(|b| &b.inner));
        let entries: Vec<_> = (0..)
            .zip(all)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&kernel.name),
            layout: &kernel.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(Fault::Kernel { kernel: kernel.name.clone(), message: error.to_string() });
        }
        Ok(Bound { pipeline: kernel.pipeline.clone(), group, size: (columns, rows as u32) })
    }

    /// Runs commands in order, then reads the beginnings of buffers: `reads` names buffer and bytes.
    ///
    /// # Errors
    /// When the device fails.
    pub fn submit(&self, commands: &[&Bound], reads: &[(&Buffer, u64)]) -> Result<Vec<Vec<u8>>, Fault> {
        let mut out = Vec::with_capacity(reads.len());
        self.submit_and(commands, reads, |_, bytes| out.push(bytes.to_vec()))?;
        Ok(out)
    }

    /// Runs commands in order, then reads the beginnings of buffers; `take` gets the bytes in place, with
    /// their index among the reads.
    ///
    /// # Errors
    /// When the device fails.
    pub fn submit_and(
        &self,
        commands: &[&Bound],
        reads: &[(&Buffer, u64)],
        mut take: impl FnMut(usize, &[u8]),
    ) -> Result<(), Fault> {
        self.check()?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        if !commands.is_empty() {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for command in commands {
                pass.set_pipeline(&command.pipeline);
                pass.set_bind_group(0, &command.group, &[]);
                pass.dispatch_workgroups(command.size.0, command.size.1, 1);
            }
        }
        let mut staging = Vec::with_capacity(reads.len());
        for (buffer, bytes) in reads {
            let size = bytes.next_multiple_of(16).min(buffer.size).max(16);
            let target = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read back"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(&buffer.inner, 0, &target, 0, size);
            staging.push((target, *bytes as usize));
        }
        self.queue.submit([encoder.finish()]);
        let read = staging.iter().map(|(_, bytes)| *bytes as u64).sum();
        self.count([1, commands.len() as u64, 0, read]);
        for (target, _) in &staging {
            let errors = Arc::clone(&self.errors);
            target.map_async(wgpu::MapMode::Read, .., move |outcome| {
                if let Err(error) = outcome {
                    note(&errors, error.to_string());
                }
            });
        }
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| Fault::Lost(e.to_string()))?;
        self.check()?;
        for (k, (target, bytes)) in staging.iter().enumerate() {
            let view = target.get_mapped_range(..).map_err(|e| Fault::Lost(e.to_string()))?;
            take(k, &view[..*bytes]);
        }
        Ok(())
    }
}

/// Returns the numbers of a buffer that was read.
pub fn numbers<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(bytes: &[u8]) -> Vec<T> {
    in_place(bytes).into_owned()
}

/// Returns the numbers of a buffer in place, if their alignment allows it.
pub fn in_place<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) => Cow::Borrowed(numbers),
        Err(_) => bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect(),
    }
}
